#include "report/departures.hpp"

#include <algorithm>
#include <cassert>
#include <optional>

namespace assay::report {

using check::Event;

Departures departures(const History& history, std::span<const Event> order, std::size_t most,
                      std::size_t pieces) {
  assert(pieces > 0);
  Departures result;
  const auto larger = [](const Departure& a, const Departure& b) { return a.nanoseconds > b.nanoseconds; };
  result.over_order.assign(std::min(pieces, std::max<std::size_t>(order.size(), 1)), 0);
  std::optional<Txn> latest;  // of those passed, the one that started last
  std::int64_t latest_start = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Txn txn = order[i].txn;
    if (order[i].side != Event::Side::commit || txn == kInitialTxn) continue;
    const auto start = history.start(txn);
    const auto end = history.end(txn);
    if (!start || !end || *end < *start) continue;
    ++result.compared;
    if (latest && *end < latest_start) {
      ++result.count;
      const std::uint64_t by = static_cast<std::uint64_t>(latest_start) - static_cast<std::uint64_t>(*end);
      std::uint64_t& piece = result.over_order[i * result.over_order.size() / order.size()];
      piece = std::max(piece, by);
      // A heap whose top is the smallest kept.
      result.largest.push_back({*latest, txn, by});
      std::push_heap(result.largest.begin(), result.largest.end(), larger);
      if (result.largest.size() > most) {
        std::pop_heap(result.largest.begin(), result.largest.end(), larger);
        result.largest.pop_back();
      }
    }
    if (!latest || *start > latest_start) {
      latest = txn;
      latest_start = *start;
    }
  }
  std::sort_heap(result.largest.begin(), result.largest.end(), larger);
  return result;
}

}  // namespace assay::report
