// Which of the arrived transactions can be decided. Sessions arrive at different speeds, so a read may arrive
// before the write it saw; it waits, and its session with it, for as long as the write can still come.
#pragma once

#include <cstdint>
#include <vector>

#include "watch/assembly.hpp"
#include "watch/keep/state.hpp"

namespace assay::watch {

// Per session: how many of its new transactions.
std::vector<std::uint32_t> admissible(const State& state, const Assembly& all);

}  // namespace assay::watch
