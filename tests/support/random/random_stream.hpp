// Longer histories than random_history makes, in which sessions hear of each other often enough for a watcher
// to forget something: a run with fences (every session now and then reads and writes one key), serial or on
// replicas, in which afterwards at most a few reads are made to see another version.
#pragma once

#include <cstdint>

#include "history/history.hpp"
#include "level/level.hpp"
#include "support/random/random_history.hpp"

namespace assay {

struct Stream {
  std::uint32_t transactions = 30, sessions = 4, keys = 5, operations = 3;
  double reads = 0.5, blind = 0.5, fence = 0.3, aborted = 0.05, unknown = 0;
  bool times = false;
};

Stream random_stream(Rng& rng);

// A run that a database at this level might show, but for what was changed in it. Keys and values are numbers
// above 0, sessions and transactions numbers too; no value is written to a key twice.
History run_stream(Rng& rng, const Stream& stream, Level level);

}  // namespace assay
