#include "report/page/bad_read_counts.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "report/printable.hpp"
#include "report/words/bad_read_words.hpp"

namespace assay::report {

using check::BadRead;
using Json = nlohmann::ordered_json;

namespace {

// The most frequent first, equals in the order of their ids.
template <typename Id, typename Name>
Json most_frequent(const std::map<Id, std::uint64_t>& counts, std::size_t most, Name name) {
  std::vector<std::pair<Id, std::uint64_t>> sorted(counts.begin(), counts.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  Json shown = Json::array();
  for (std::size_t i = 0; i < std::min(sorted.size(), most); ++i)
    shown.push_back({{"name", name(sorted[i].first)}, {"count", sorted[i].second}});
  return {{"shown", std::move(shown)}, {"inAll", sorted.size()}};
}

// When their transactions ended, in pieces of the time of the whole history. Null if not all of them have a time.
Json over_time(const History& history, std::span<const BadRead> reads, std::size_t pieces) {
  std::int64_t first = INT64_MAX;
  std::int64_t last = INT64_MIN;
  for (const Txn t : history.all_transactions()) {
    if (const auto start = history.start(t)) first = std::min(first, *start);
    if (const auto end = history.end(t)) last = std::max(last, *end);
  }
  if (first >= last) return nullptr;
  const auto distance = [&](std::int64_t to) {
    return static_cast<double>(static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(first));
  };
  const double piece = distance(last) / static_cast<double>(pieces);
  std::vector<std::uint64_t> counts(pieces, 0);
  for (const BadRead& bad : reads) {
    const auto end = history.end(bad.txn);
    if (!end || *end < first) return nullptr;
    ++counts[std::min(static_cast<std::size_t>(distance(*end) / piece), pieces - 1)];
  }
  return {{"seconds", distance(last) / 1e9}, {"counts", counts}};
}

}  // namespace

Json bad_read_counts(const History& history, std::span<const BadRead> reads, const PageLimits& limits) {
  std::map<std::string, std::uint64_t> kinds;
  std::map<Key, std::uint64_t> keys;
  std::map<Session, std::uint64_t> sessions;
  for (const BadRead& bad : reads) {
    ++kinds[std::string(anomaly(history, bad))];
    ++sessions[history.session_of(bad.txn)];
    if (const auto key = key_of(history, bad)) ++keys[*key];
  }
  return {{"total", reads.size()},
          {"kinds", most_frequent(kinds, limits.groups, [](const std::string& kind) { return kind; })},
          {"keys", most_frequent(keys, limits.groups, [&](Key k) { return printable(history.name(k)); })},
          {"sessions",
           most_frequent(sessions, limits.groups, [&](Session s) { return printable(history.name(s)); })},
          {"over", over_time(history, reads, limits.pieces)}};
}

}  // namespace assay::report
