#include "report/live.hpp"

#include <algorithm>
#include <cassert>

namespace assay::report {

namespace {

// Times may be any two 64-bit numbers; their distance still fits the unsigned range.
double distance(std::int64_t from, std::int64_t to) {
  return static_cast<double>(static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from));
}

struct Interval {
  std::int64_t start, end;
};

std::optional<Interval> interval(const History& history, Txn t) {
  const auto start = history.start(t);
  const auto end = history.end(t);
  if (!start || !end || *end < *start) return std::nullopt;
  return Interval{*start, *end};
}

}  // namespace

std::optional<Running> running_over_time(const History& history, std::size_t pieces) {
  assert(pieces > 0);
  std::optional<Interval> span;
  for (const Txn t : history.all_transactions()) {
    const auto one = interval(history, t);
    if (!one) continue;
    if (!span) span = one;
    span->start = std::min(span->start, one->start);
    span->end = std::max(span->end, one->end);
  }
  if (!span || span->start == span->end) return std::nullopt;

  Running result;
  result.first = span->start;
  result.piece_nanoseconds = distance(span->start, span->end) / static_cast<double>(pieces);
  // A transaction covers the piece it starts in and the one it ends in partly, those between fully; the full
  // ones are entered as a difference, so that long transactions cost no more than short ones.
  std::vector<double> partly(pieces, 0);
  std::vector<std::int64_t> change(pieces + 1, 0);
  for (const Txn t : history.all_transactions()) {
    const auto one = interval(history, t);
    if (!one) continue;
    const double from = distance(span->start, one->start) / result.piece_nanoseconds;
    const double to = distance(span->start, one->end) / result.piece_nanoseconds;
    const std::size_t first = std::min(static_cast<std::size_t>(from), pieces - 1);
    const std::size_t last = std::min(static_cast<std::size_t>(to), pieces - 1);
    if (first == last) {
      partly[first] += to - from;
      continue;
    }
    partly[first] += static_cast<double>(first + 1) - from;
    partly[last] += to - static_cast<double>(last);
    ++change[first + 1];
    --change[last];
  }
  std::int64_t fully = 0;
  for (std::size_t i = 0; i < pieces; ++i) {
    fully += change[i];
    result.mean.push_back(static_cast<double>(fully) + partly[i]);
  }
  return result;
}

}  // namespace assay::report
