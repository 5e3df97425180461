// What is known of sessions and fates after a round, whatever leaves.
#pragma once

#include <vector>

#include "check/reads.hpp"
#include "watch/assembly.hpp"
#include "watch/forget/weak_order.hpp"
#include "watch/keep/state.hpp"

namespace assay::watch {

VectorClock later(VectorClock a, const VectorClock& b);

// Per session: what must commit before all that it will send.
std::vector<VectorClock> session_clocks(const State& state, const Assembly& assembly, const WeakOrder& order);

// Per transaction: of unknown fate, and somebody read from it, who may leave before it does.
std::vector<std::uint8_t> proven_fates(const History& history, const check::Reads& reads);

}  // namespace assay::watch
