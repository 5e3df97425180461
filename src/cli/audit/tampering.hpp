// The lies by their names on the command line.
#pragma once

#include <string>
#include <vector>

#include "audit/tamper.hpp"

namespace assay::cli {

// Throws UsageError.
const audit::Lie& lie_named(const std::string& name);
std::vector<std::string> lie_names();

}  // namespace assay::cli
