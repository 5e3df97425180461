// How much of everything the page shows at most.
#pragma once

#include <cstddef>

namespace assay::report {

struct PageLimits {
  std::size_t stories = 4;
  std::size_t scenes = 8;         // of one story
  std::size_t steps = 60;         // of one scene
  std::size_t bad_reads = 20;     // of one story
  std::size_t transactions = 60;  // that stories speak of
  std::size_t operations = 40;    // of one of them
  std::size_t neighbours = 3;     // on each side of one of them
  std::size_t neighbour_operations = 6;
  std::size_t departures = 12;
  std::size_t pieces = 160;  // of a chart over time
  std::size_t groups = 8;    // of impossible reads, by key and so on
  std::size_t faults = 100;  // that befell the server

  PageLimits halved() const;
};

}  // namespace assay::report
