// Commits and their latency over the time of a history, in few enough pieces to draw.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "history/history.hpp"

namespace assay::report {

struct Throughput {
  double piece_seconds = 0;
  std::vector<std::uint32_t> commits;  // that ended during each piece
  std::vector<double> slowest;         // seconds: the longest of these took; 0 where none ended
};

// From the committed transactions that have a start and an end not before it; none if no two moments differ.
// REQUIRES: pieces > 0.
std::optional<Throughput> throughput_of(const History& history, std::size_t pieces);

}  // namespace assay::report
