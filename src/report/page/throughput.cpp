#include "report/page/throughput.hpp"

#include <algorithm>
#include <cassert>

namespace assay::report {

namespace {

// Times may be any two 64-bit numbers; their distance still fits the unsigned range.
double seconds_between(std::int64_t from, std::int64_t to) {
  return static_cast<double>(static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from)) / 1e9;
}

template <typename Visit>
void each_commit(const History& history, Visit visit) {
  for (const Txn t : history.all_transactions()) {
    const auto start = history.start(t);
    const auto end = history.end(t);
    if (history.status(t) == Status::committed && start && end && *end >= *start) visit(*start, *end);
  }
}

}  // namespace

std::optional<Throughput> throughput_of(const History& history, std::size_t pieces) {
  assert(pieces > 0);
  std::int64_t first = INT64_MAX;
  std::int64_t last = INT64_MIN;
  each_commit(history, [&](std::int64_t start, std::int64_t end) {
    first = std::min(first, start);
    last = std::max(last, end);
  });
  if (first >= last) return std::nullopt;
  Throughput out;
  out.piece_seconds = seconds_between(first, last) / static_cast<double>(pieces);
  out.commits.resize(pieces, 0);
  out.slowest.resize(pieces, 0);
  each_commit(history, [&](std::int64_t start, std::int64_t end) {
    const auto at = static_cast<std::size_t>(seconds_between(first, end) / out.piece_seconds);
    const std::size_t piece = std::min(at, pieces - 1);
    ++out.commits[piece];
    out.slowest[piece] = std::max(out.slowest[piece], seconds_between(start, end));
  });
  return out;
}

}  // namespace assay::report
