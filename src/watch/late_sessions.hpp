// Sessions that begin when something was forgotten already. Such a session must show that it begins after
// that, by reading what somebody wrote who does. What it did before it showed that cannot be decided.
#pragma once

#include <cstdint>
#include <vector>

#include "watch/assembly.hpp"
#include "watch/keep/state.hpp"

namespace assay::watch {

// Per transaction of the assembled history, nonzero if it has to leave undecided; empty if none has. Sessions
// that have shown what they must are late no more; the state's `left_out` says who was left out.
std::vector<std::uint8_t> drop_late_arrivals(State& state, const Assembly& assembly);

}  // namespace assay::watch
