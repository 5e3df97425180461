// Where a commit order departs from the clock: a transaction comes before another that had ended before it
// started. Levels without real time allow that; a strict level does not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "check/outcome.hpp"
#include "history/history.hpp"

namespace assay::report {

struct Departure {
  Txn earlier, later;         // in the commit order; by the clock, `later` ended before `earlier` started
  std::uint64_t nanoseconds;  // by how much
};

struct Departures {
  std::uint64_t compared = 0;  // transactions of the order that have both times
  std::uint64_t count = 0;     // those that come after one which by the clock started after they had ended
  std::vector<Departure> largest;         // the largest first
  std::vector<std::uint64_t> over_order;  // the largest in each piece of the order, in nanoseconds
};

// Linear in the order. REQUIRES: pieces > 0.
Departures departures(const History& history, std::span<const check::Event> order, std::size_t most,
                      std::size_t pieces);

}  // namespace assay::report
