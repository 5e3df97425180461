// What a watch is asked for.
#pragma once

#include <cstdint>

#include "level/level.hpp"

namespace assay::watch {

struct WatchOptions {
  Level level = Level::serializable;
  // For the levels with real time: by how many nanoseconds the clocks of two machines may differ.
  std::int64_t clock_drift = 100'000'000;
  // No value is written to a key twice, as recorders make sure. Without this promise nothing can be dropped,
  // and a violation is certain only when all sessions are closed: what was read may have been written by a
  // transaction still to come. A watcher that sees the promise broken goes on without it if it still can.
  bool unique_values = true;
  // At read committed, monotonic atomic view and read atomic every version may be read again for ever. Not 0:
  // a version that was overwritten more than so many transactions ago may be forgotten, and a read of one is
  // "undecided".
  std::uint64_t horizon = 0;
  // About how many transactions that have arrived since a round takes at most, however many wait. Another
  // number gives other rounds, and the same verdict.
  std::uint32_t round_transactions = 30'000;
  // And about how many pairs of a transaction and a session it has: the clocks have a number for each.
  std::uint64_t round_cells = 1'500'000;
  // Where sessions come and go, one that sends nothing while so many transactions of others are judged is taken
  // for closed; 0: none is.
  std::uint64_t silence = 0;
};

}  // namespace assay::watch
