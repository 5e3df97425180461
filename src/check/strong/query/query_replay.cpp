#include "check/strong/query/query_replay.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>
#include <utility>

namespace assay::check {

BlockCounts::BlockCounts(std::uint32_t size)
    : shift_(static_cast<std::uint32_t>(std::bit_width(size)) / 2),
      cells_(size, 0),
      blocks_((size >> shift_) + std::size_t{1}, 0) {}

std::uint32_t BlockCounts::count(std::uint32_t first, std::uint32_t last) const {
  const auto sum = [](const std::vector<std::uint32_t>& of, std::size_t from, std::size_t to) {
    std::uint32_t all = 0;
    for (std::size_t i = from; i < to; ++i) all += of[i];
    return all;
  };
  const std::uint32_t first_block = (first >> shift_) + 1, last_block = last >> shift_;
  if (first_block >= last_block) return sum(cells_, first, last);
  return sum(cells_, first, std::size_t{first_block} << shift_) + sum(blocks_, first_block, last_block) +
         sum(cells_, std::size_t{last_block} << shift_, last);
}

void BlockCounts::clear() {
  std::fill(cells_.begin(), cells_.end(), 0);
  std::fill(blocks_.begin(), blocks_.end(), 0);
}

QueryReplay::QueryReplay(const QueryPlan& plan, const History& history, const Reads& reads)
    : plan_(plan), h_(history), reads_(reads), write_code_(reads.writes(), 0) {
  if (has_learned()) write_version_.resize(reads.writes());
  for (const Txn t : h_.all_transactions()) {
    const std::span<const Write> all = reads_.writes_of(t);
    if (all.empty()) continue;
    // In program order the last write of each key comes last.
    for (const Op op : h_.operations_of(t)) {
      if (!writes(h_.kind(op))) continue;
      const Key k = h_.key(op);
      const auto its =
          std::partition_point(all.begin(), all.end(), [&](Write w) { return w < reads_.initial_write(k); });
      write_code_[index(*its)] = plan_.code_of(h_.version(op));
      if (has_learned()) write_version_[index(*its)] = h_.version(op);
    }
  }
  initial_.resize(plan_.places());
  for (Place at = 0; at < plan_.places(); ++at) {
    initial_[at] = plan_.code_of(h_.initial_version(plan_.key_at(at)));
    const Write initial = reads_.initial_write(plan_.key_at(at));
    write_code_[index(initial)] = initial_[at];
    if (has_learned()) write_version_[index(initial)] = h_.initial_version(plan_.key_at(at));
  }
  first_asked_.reserve(h_.transactions() + std::size_t{1});
  std::uint32_t next = 0;
  for (const Txn t : h_.all_transactions()) {
    first_asked_.push_back(next);
    next += static_cast<std::uint32_t>(plan_.asked_by(t).size());
  }
  first_asked_.push_back(next);
  choose_lines();
}

// A line costs what is written to the keys that it counts, and saves its queries a look at each of theirs.
void QueryReplay::choose_lines() {
  constexpr std::size_t kMostLines = 8;
  const std::span<const QueryPlan::Asked> asked = plan_.asked();
  line_of_.assign(asked.size(), kNoLine);
  std::vector<std::uint64_t> writes_before(plan_.places() + std::size_t{1}, 0);
  for (Place at = 0; at < plan_.places(); ++at) {
    writes_before[at + std::size_t{1}] = writes_before[at] + reads_.writes_of(plan_.key_at(at)).size();
  }
  using Kind = std::tuple<bool, std::uint32_t, std::uint32_t>;  // along the codes; from, to before
  std::map<Kind, std::uint64_t> saved;
  for (const QueryPlan::Asked& one : asked) {
    saved[{true, one.first, one.last}] += one.last - one.first;
    saved[{false, one.low, one.high}] += one.last - one.first;
  }
  std::vector<std::pair<std::uint64_t, Kind>> best;
  for (const auto& [kind, looks] : saved) {
    const auto [along_codes, first, last] = kind;
    const std::uint64_t cost =
        along_codes ? writes_before[last] - writes_before[first] : writes_before.back();
    if (looks > cost) best.emplace_back(looks - cost, kind);
  }
  std::sort(best.begin(), best.end(), std::greater<>());
  if (best.size() > kMostLines) best.resize(kMostLines);
  std::map<Kind, std::uint32_t> line;
  for (const auto& [gain, kind] : best) {
    const auto [along_codes, first, last] = kind;
    line.emplace(kind, static_cast<std::uint32_t>(lines_.size()));
    lines_.push_back({along_codes, first, last, BlockCounts(along_codes ? plan_.codes() : plan_.places())});
  }
  for (std::size_t i = 0; i < asked.size(); ++i) {
    auto found = line.find({true, asked[i].first, asked[i].last});
    if (found == line.end()) found = line.find({false, asked[i].low, asked[i].high});
    if (found != line.end()) line_of_[i] = found->second;
  }
}

void QueryReplay::reset() {
  current_ = initial_;
  for (Line& line : lines_) {
    line.counts.clear();
    for (Place at = 0; at < plan_.places(); ++at) {
      if (line.along_codes) {
        if (line.first <= at && at < line.last) line.counts.add(current_[at]);
      } else if (line.first <= current_[at] && current_[at] < line.last) {
        line.counts.add(at);
      }
    }
  }
  if (!has_learned()) return;
  learned_now_.assign(plan_.learned().count(), 0);
  current_version_.resize(plan_.places());
  for (Place at = 0; at < plan_.places(); ++at) {
    current_version_[at] = h_.initial_version(plan_.key_at(at));
    for (const auto p : plan_.learned().that_match(current_version_[at])) ++learned_now_[p];
  }
}

void QueryReplay::set(Place place, Version version, Code code) {
  if (has_learned()) {
    for (const auto p : plan_.learned().that_match(current_version_[place])) --learned_now_[p];
    for (const auto p : plan_.learned().that_match(version)) ++learned_now_[p];
    current_version_[place] = version;
  }
  const Code old = std::exchange(current_[place], code);
  if (old == code) return;
  for (Line& line : lines_) {
    if (line.along_codes) {
      if (place < line.first || place >= line.last) continue;
      line.counts.remove(old);
      line.counts.add(code);
    } else {
      const bool was = line.first <= old && old < line.last, is = line.first <= code && code < line.last;
      if (was && !is) line.counts.remove(place);
      if (is && !was) line.counts.add(place);
    }
  }
}

std::vector<MissedRow> QueryReplay::missed_rows(const Problem& problem, std::span<const Node> order,
                                                std::uint32_t most_of_one, Limits& limits) {
  reset();
  std::vector<MissedRow> missed;
  for (const Node u : order) {
    if (limits.exceeded()) break;
    if (!problem.is_event(u) || reads_.presence(problem.txn_of(u)) == Presence::absent) continue;
    if (problem.is_begin(u)) begin(problem.txn_of(u), most_of_one, missed);
    if (problem.is_commit(u)) commit(problem.txn_of(u));
  }
  return missed;
}

// What the transaction had itself written before a query comes first.
void QueryReplay::begin(Txn t, std::uint32_t most_of_one, std::vector<MissedRow>& missed) {
  std::uint32_t asked = first_asked_[index(t)];
  const std::uint32_t end = first_asked_[index(t) + std::size_t{1}];
  if (asked == end) return;
  struct Overwritten {
    Place place;
    Version version;
    Code code;
  };
  std::vector<Overwritten> before;
  for (const Op op : h_.operations_of(t)) {
    if (asked != end && plan_.asked()[asked].query == op) {
      ask(asked++, t, most_of_one, missed);
    } else if (writes(h_.kind(op)) && plan_.place_of(h_.key(op)) != QueryPlan::kNoPlace) {
      const Place place = plan_.place_of(h_.key(op));
      before.push_back({place, has_learned() ? current_version_[place] : Version{}, current_[place]});
      set(place, h_.version(op), plan_.code_of(h_.version(op)));
    }
  }
  for (std::size_t i = before.size(); i-- > 0;) set(before[i].place, before[i].version, before[i].code);
}

void QueryReplay::commit(Txn t) {
  for (const Write w : reads_.writes_of(t)) {
    const Place place = plan_.place_of(reads_.key(w));
    if (place == QueryPlan::kNoPlace) continue;
    set(place, has_learned() ? write_version_[index(w)] : Version{}, write_code_[index(w)]);
  }
}

std::uint32_t QueryReplay::count(std::uint32_t number) const {
  const QueryPlan::Asked& asked = plan_.asked()[number];
  if (asked.learned) return learned_now_[*asked.learned];
  if (line_of_[number] == kNoLine) {
    std::uint32_t found = 0;
    for (Place at = asked.first; at < asked.last; ++at) found += asked.counts(current_[at]) ? 1U : 0U;
    return found;
  }
  const Line& line = lines_[line_of_[number]];
  return line.along_codes ? line.counts.count(asked.low, asked.high)
                          : line.counts.count(asked.first, asked.last);
}

void QueryReplay::ask(std::uint32_t number, Txn reader, std::uint32_t most_of_one,
                      std::vector<MissedRow>& missed) {
  const QueryPlan::Asked& asked = plan_.asked()[number];
  if (count(number) != asked.expected) name_missed(number, reader, most_of_one, missed);
}

void QueryReplay::name_missed(std::uint32_t number, Txn reader, std::uint32_t most_of_one,
                              std::vector<MissedRow>& missed) const {
  const QueryPlan::Asked& asked = plan_.asked()[number];
  std::vector<Key> returned;
  for (const Version v : h_.query(asked.query).results) returned.push_back(h_.key_of(v));
  std::sort(returned.begin(), returned.end());
  std::uint32_t named = 0;
  const auto name = [&](Key k) {
    if (named == most_of_one || std::binary_search(returned.begin(), returned.end(), k)) return;
    missed.push_back({number, reader, k});
    ++named;
  };
  if (asked.learned) {
    for (const Version v : plan_.learned().matching(*asked.learned)) {
      const Place at = plan_.place_of(h_.key_of(v));
      if (at != QueryPlan::kNoPlace && current_version_[at] == v) name(h_.key_of(v));
    }
    return;
  }
  for (Place at = asked.first; at < asked.last && named < most_of_one; ++at) {
    if (asked.counts(current_[at])) name(plan_.key_at(at));
  }
}

std::vector<Write> QueryReplay::seen_instead(const MissedRow& row) const {
  const QueryPlan::Asked& asked = plan_.asked()[row.asked];
  std::vector<Write> instead;
  for (const Write w : reads_.writes_of(row.key)) {
    const bool counts = asked.learned ? plan_.learned().matches(*asked.learned, write_version_[index(w)])
                                      : asked.counts(write_code_[index(w)]);
    if (!counts && reads_.writer(w) != row.reader) instead.push_back(w);
  }
  return instead;
}

}  // namespace assay::check
