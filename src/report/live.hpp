// How many transactions ran at a time, over the time of a history, in few enough pieces to draw.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "history/history.hpp"

namespace assay::report {

struct Running {
  std::int64_t first = 0;        // nanoseconds: where the first piece begins
  double piece_nanoseconds = 0;  // how long each is
  std::vector<double> mean;      // running during each piece, on average
};

// From the transactions that have a start and an end not before it; none if no two moments differ.
// REQUIRES: pieces > 0.
std::optional<Running> running_over_time(const History& history, std::size_t pieces);

}  // namespace assay::report
