// How many events of each session, from its first, precede something. A transaction has one event, or two at
// the levels that tell its begin from its commit. Where a clock is short, zeros follow.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace assay::watch {

using VectorClock = std::vector<std::uint32_t>;

// What one of the two says, or both do.
inline VectorClock later(VectorClock a, const VectorClock& b) {
  if (a.size() < b.size()) a.resize(b.size(), 0);
  for (std::size_t s = 0; s < b.size(); ++s) a[s] = std::max(a[s], b[s]);
  return a;
}

// Whether `clock` says all that `floor` does.
inline bool covers(const VectorClock& clock, const VectorClock& floor) {
  for (std::size_t s = 0; s < floor.size(); ++s) {
    if (floor[s] > (s < clock.size() ? clock[s] : 0)) return false;
  }
  return true;
}

}  // namespace assay::watch
