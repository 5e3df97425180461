// Sessions that are over and of which nothing is kept leave: no clock has anything to say of them. So clocks are
// as long as there are sessions that may still send something, or have something here.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "watch/keep/state.hpp"

namespace assay::watch {

// Takes sessions for closed that were silent while so many transactions were judged; 0: none.
void close_silent_sessions(State& state, std::uint64_t silence);

// Returns their names. Lets them gather, so that what is kept is not renumbered in every round.
std::vector<std::string> let_sessions_leave(State& state);

}  // namespace assay::watch
