// Random small PHP programs over the constructs that superposition supports and some that it denies. Inputs are $_GET['x'], ['y']
// (words), ['i'] (a number) and ['u'] (a number that is the same in all lanes).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace assay::php::testing {

std::string random_program(std::uint64_t seed);
// As many inputs for it as there are to be lanes.
std::vector<std::string> random_inputs(std::uint64_t seed, unsigned lanes);

}  // namespace assay::php::testing
