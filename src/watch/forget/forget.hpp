// Forgetting (what a database calls garbage collection): which transactions no transaction still to come can
// touch. docs/watch.md has the rules and why they are safe.
#pragma once

#include <cstdint>
#include <vector>

#include "check/known_order.hpp"
#include "check/reads.hpp"
#include "watch/assembly.hpp"
#include "watch/keep/state.hpp"

namespace assay::watch {

// What leaves after a round, and what is remembered of those who stay.
struct Forgetting {
  VectorClock floor;                         // all of each session that precedes whatever is still to come
  std::vector<std::uint32_t> positions;      // per transaction: its place in its session
  std::vector<VectorClock> begins, commits;  // per transaction: what precedes it; as in Place
  std::vector<VectorClock> session_visible;  // at causal, per session: as in SessionState
  std::vector<VectorClock> session_clocks;   // per session: what precedes all that it will send
  std::vector<std::uint8_t> frozen, drop;
  std::vector<std::uint8_t> proven;  // per transaction: of unknown fate, and somebody read from it
  // Per key: the transaction that leaves and whose version becomes the key's entry, or kInitialTxn.
  std::vector<Txn> entry_writer;
};

// REQUIRES: the round was decided "holds", and `order` is what is known of it.
Forgetting forget_settled(const State& state, const Assembly& assembly, const check::Reads& reads,
                          const check::KnownOrder& order);

}  // namespace assay::watch
