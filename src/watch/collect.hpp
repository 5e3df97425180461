// Garbage collection: which transactions no transaction still to come can touch. docs/watch.md has the rules
// and why they are safe.
#pragma once

#include <cstdint>
#include <vector>

#include "check/problem.hpp"
#include "check/saturate.hpp"
#include "watch/assembly.hpp"
#include "watch/state.hpp"

namespace assay::watch {

struct Collection {
  Clock floor;                           // all of each session that precedes whatever is still to come
  std::vector<std::uint32_t> positions;  // per transaction: its place in its session
  std::vector<Clock> begins, commits;    // per transaction: what precedes it; as in Place
  std::vector<Clock> session_visible;    // at causal, per session: as in SessionState
  std::vector<Clock> session_clocks;     // per session: what precedes all that it will send
  std::vector<std::uint8_t> frozen, drop;
  std::vector<std::uint8_t> proven;  // per transaction: of unknown fate, and somebody read from it
  // Per key: the transaction that leaves and whose version becomes the key's entry, or kInitialTxn.
  std::vector<Txn> entry_writer;
};

// REQUIRES: the round was decided "holds", and the saturation of its problem reached the fixpoint.
Collection collect(const Watcher::State& state, const Assembly& assembly, const check::Problem& problem,
                   const check::Saturation& saturation);

}  // namespace assay::watch
