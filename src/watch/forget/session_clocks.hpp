// What is known of sessions and fates after a round, whatever leaves.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "check/reads.hpp"
#include "watch/assembly.hpp"
#include "watch/forget/weak_order.hpp"
#include "watch/keep/state.hpp"

namespace assay::watch {

// Something of the session was let into a round, this one included. Of all others no clock can speak.
inline bool has_begun(const State& state, const Assembly& assembly, std::uint32_t session) {
  return state.sessions[session].positions + assembly.fresh[session] > 0;
}

// The floor, given for each session that has begun what precedes all that it will send: the least of what those
// that may still send something have, or are taken to have by their pins. Pins say when something was judged, not what
// precedes it; so that all that precedes something frozen is frozen too, `before` has that per transaction.
VectorClock floor_of(const State& state, const Assembly& assembly, std::span<const VectorClock> clocks,
                     std::span<const std::uint32_t> positions, std::span<const VectorClock> before);

// Per session: what must commit before all that it will send.
std::vector<VectorClock> session_clocks(const State& state, const Assembly& assembly, const WeakOrder& order);

// Per transaction: of unknown fate, and somebody read from it, who may leave before it does.
std::vector<std::uint8_t> proven_fates(const History& history, const check::Reads& reads);

}  // namespace assay::watch
