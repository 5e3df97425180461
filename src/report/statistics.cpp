#include "report/statistics.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace assay::report {

namespace {

constexpr std::size_t kHotKeys = 10;

std::optional<Key> key_named_by(const History& history, Op op) {
  switch (history.kind(op)) {
    case OpKind::list_read:
      return history.list(op).key;
    case OpKind::predicate_read:
    case OpKind::range_read:
    case OpKind::rows_read:
      return std::nullopt;
    default:
      return history.key(op);
  }
}

std::vector<HotKey> hottest(const std::vector<std::uint32_t>& uses) {
  const auto total = std::accumulate(uses.begin(), uses.end(), std::uint64_t{0});
  std::vector<std::uint32_t> keys(uses.size());
  std::iota(keys.begin(), keys.end(), 0U);
  const std::size_t count = std::min(kHotKeys, keys.size());
  std::partial_sort(
      keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(count), keys.end(),
      [&](std::uint32_t a, std::uint32_t b) { return uses[a] != uses[b] ? uses[a] > uses[b] : a < b; });
  std::vector<HotKey> hot;
  for (std::size_t i = 0; i < count && uses[keys[i]] != 0; ++i) {
    hot.push_back(
        {Key{keys[i]}, uses[keys[i]], static_cast<double>(uses[keys[i]]) / static_cast<double>(total)});
  }
  return hot;
}

// Sweeps over starts and ends in order of time; both moments belong to a transaction.
std::optional<Concurrency> concurrency_of(const History& history) {
  std::vector<std::int64_t> starts;
  std::vector<std::int64_t> ends;
  double busy = 0;
  for (const Txn t : history.all_transactions()) {
    const auto start = history.start(t);
    const auto end = history.end(t);
    if (!start || !end || *end < *start) continue;
    starts.push_back(*start);
    ends.push_back(*end);
    busy += static_cast<double>(static_cast<std::uint64_t>(*end) - static_cast<std::uint64_t>(*start));
  }
  if (starts.empty()) return std::nullopt;
  std::sort(starts.begin(), starts.end());
  std::sort(ends.begin(), ends.end());
  Concurrency result;
  result.transactions = static_cast<std::uint32_t>(starts.size());
  result.span_nanoseconds =
      static_cast<std::uint64_t>(ends.back()) - static_cast<std::uint64_t>(starts.front());
  result.mean = result.span_nanoseconds == 0 ? 0 : busy / static_cast<double>(result.span_nanoseconds);
  std::uint32_t running = 0;
  std::size_t ended = 0;
  for (const std::int64_t start : starts) {
    ++running;
    while (ends[ended] < start) {
      --running;
      ++ended;
    }
    result.most = std::max(result.most, running);
  }
  return result;
}

}  // namespace

Statistics summarise(const History& history) {
  Statistics s;
  s.sessions = history.sessions();
  for (std::uint32_t i = 0; i < history.sessions(); ++i) {
    s.longest_session = std::max(s.longest_session, history.transactions_of(Session{i}).size());
  }
  s.transactions = history.transactions();
  s.operations = history.operations();
  s.keys = history.keys();
  s.versions = history.versions() - history.keys();
  for (std::size_t kind = 0; kind < kOpKinds; ++kind)
    s.by_kind[kind] = history.count(static_cast<OpKind>(kind));

  // Per version: the last transaction that wrote it, and whether there was another before.
  constexpr std::uint32_t kNobody = 0xFFFFFFFFU;
  std::vector<std::uint32_t> writer(history.versions(), kNobody);
  std::vector<bool> repeated(history.versions(), false);
  std::vector<std::uint32_t> uses(history.keys(), 0);
  for (const Txn t : history.all_transactions()) {
    switch (history.status(t)) {
      case Status::committed:
        ++s.committed;
        break;
      case Status::aborted:
        ++s.aborted;
        break;
      case Status::unknown:
        ++s.unknown;
        break;
    }
    s.most_operations = std::max(s.most_operations, history.operations_of(t).size());
    for (const Op op : history.operations_of(t)) {
      if (const auto key = key_named_by(history, op)) ++uses[index(*key)];
      if (!writes(history.kind(op))) continue;
      const Version version = history.version(op);
      if (history.is_initial(version)) continue;
      std::uint32_t& last = writer[index(version)];
      if (last != kNobody && last != index(t)) repeated[index(version)] = true;
      last = index(t);
    }
  }
  s.repeated_values = static_cast<std::uint32_t>(std::count(repeated.begin(), repeated.end(), true));
  for (std::uint32_t i = 0; i < history.operations(); ++i) {
    const Op op{i};
    if (history.kind(op) == OpKind::read) {
      if (history.is_initial(history.version(op))) ++s.reads_of_initial;
      if (repeated[index(history.version(op))]) ++s.ambiguous_reads;
    } else if (history.kind(op) == OpKind::list_read) {
      const auto list = history.list(op).elements;
      if (list.empty()) ++s.reads_of_initial;
      if (std::any_of(list.begin(), list.end(), [&](Version v) { return repeated[index(v)]; }))
        ++s.ambiguous_reads;
    }
  }
  s.hot_keys = hottest(uses);
  s.concurrency = concurrency_of(history);
  s.resident_bytes = history.resident_bytes();
  return s;
}

}  // namespace assay::report
