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
    : plan_(plan), h_(history), reads_(reads), write_version_(reads.writes()) {
  for (const Txn t : h_.all_transactions()) {
    const std::span<const Write> all = reads_.writes_of(t);
    if (all.empty()) continue;
    // In program order the last write of each key comes last.
    for (const Op op : h_.operations_of(t)) {
      if (!writes(h_.kind(op))) continue;
      const Key k = h_.key(op);
      const auto its =
          std::partition_point(all.begin(), all.end(), [&](Write w) { return w < reads_.initial_write(k); });
      write_version_[index(*its)] = h_.version(op);
    }
  }
  initial_.resize(plan_.places());
  for (Place at = 0; at < plan_.places(); ++at) {
    initial_[at] = h_.initial_version(plan_.key_at(at));
    write_version_[index(reads_.initial_write(plan_.key_at(at)))] = initial_[at];
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

// A condition has a counter of its own.
QueryReplay::Kind QueryReplay::kind_along_keys(const QueryPlan::Asked& asked) {
  if (asked.condition) return {Along::nothing, 0, *asked.condition, 0};
  return {Along::keys, asked.column, asked.codes.from, asked.codes.to};
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
  struct Use {
    std::uint64_t looks = 0;
    std::uint32_t sample = 0;
  };
  std::map<Kind, Use> uses;
  for (std::uint32_t i = 0; i < asked.size(); ++i) {
    const QueryPlan::Asked& one = asked[i];
    if (one.learned) continue;
    const auto use = [&](const Kind& kind) {
      Use& its = uses[kind];
      its.looks += one.last - one.first;
      its.sample = i;
    };
    if (!one.condition) use({Along::codes, one.column, one.first, one.last});
    use(kind_along_keys(one));
  }
  struct Gain {
    std::uint64_t gain;
    Kind kind;
    std::uint32_t sample;
  };
  std::vector<Gain> best;
  for (const auto& [kind, use] : uses) {
    const QueryPlan::Asked& one = asked[use.sample];
    const std::uint64_t cost =
        kind.along == Along::keys ? writes_before.back() : writes_before[one.last] - writes_before[one.first];
    if (use.looks > cost) best.push_back({use.looks - cost, kind, use.sample});
  }
  std::sort(best.begin(), best.end(), [](const Gain& a, const Gain& b) {
    return a.gain != b.gain ? a.gain > b.gain : b.kind < a.kind;
  });
  if (best.size() > kMostLines) best.resize(kMostLines);
  std::map<Kind, std::uint32_t> line;
  for (const Gain& one : best) {
    line.emplace(one.kind, static_cast<std::uint32_t>(lines_.size()));
    const std::uint32_t size = one.kind.along == Along::codes  ? plan_.codes(one.kind.column)
                               : one.kind.along == Along::keys ? plan_.places()
                                                               : 1;
    lines_.push_back({one.kind, one.sample, BlockCounts(size)});
  }
  for (std::size_t i = 0; i < asked.size(); ++i) {
    if (asked[i].learned) continue;
    auto found = line.end();
    if (!asked[i].condition) {
      found = line.find({Along::codes, asked[i].column, asked[i].first, asked[i].last});
    }
    if (found == line.end()) found = line.find(kind_along_keys(asked[i]));
    if (found != line.end()) line_of_[i] = found->second;
  }
}

std::optional<std::uint32_t> QueryReplay::cell_of(const Line& line, Place place, Version version) const {
  const Kind& kind = line.kind;
  if (kind.along == Along::nothing) {
    const QueryPlan::Asked& sample = plan_.asked()[line.sample];
    const bool is_there = sample.first <= place && place < sample.last && plan_.counts(sample, version);
    return is_there ? std::optional(0U) : std::nullopt;
  }
  const Code code = plan_.code_of(kind.column, version);
  const std::uint32_t across = kind.along == Along::codes ? place : code;
  if (across < kind.first || across >= kind.last) return std::nullopt;
  return kind.along == Along::codes ? code : place;
}

void QueryReplay::reset() {
  current_ = initial_;
  for (Line& line : lines_) {
    line.counts.clear();
    for (Place at = 0; at < plan_.places(); ++at) {
      if (const auto cell = cell_of(line, at, current_[at])) line.counts.add(*cell);
    }
  }
  if (!has_learned()) return;
  learned_now_.assign(plan_.learned().count(), 0);
  for (Place at = 0; at < plan_.places(); ++at) {
    for (const auto p : plan_.learned().that_match(current_[at])) ++learned_now_[p];
  }
}

void QueryReplay::set(Place place, Version version) {
  const Version old = std::exchange(current_[place], version);
  if (old == version) return;
  if (has_learned()) {
    for (const auto p : plan_.learned().that_match(old)) --learned_now_[p];
    for (const auto p : plan_.learned().that_match(version)) ++learned_now_[p];
  }
  for (Line& line : lines_) {
    const auto was = cell_of(line, place, old), is = cell_of(line, place, version);
    if (was == is) continue;
    if (was) line.counts.remove(*was);
    if (is) line.counts.add(*is);
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
  };
  std::vector<Overwritten> before;
  for (const Op op : h_.operations_of(t)) {
    if (asked != end && plan_.asked()[asked].query == op) {
      ask(asked++, t, most_of_one, missed);
    } else if (writes(h_.kind(op)) && plan_.place_of(h_.key(op)) != QueryPlan::kNoPlace) {
      const Place place = plan_.place_of(h_.key(op));
      before.push_back({place, current_[place]});
      set(place, h_.version(op));
    }
  }
  for (std::size_t i = before.size(); i-- > 0;) set(before[i].place, before[i].version);
}

void QueryReplay::commit(Txn t) {
  for (const Write w : reads_.writes_of(t)) {
    const Place place = plan_.place_of(reads_.key(w));
    if (place == QueryPlan::kNoPlace) continue;
    set(place, write_version_[index(w)]);
  }
}

std::uint32_t QueryReplay::count(std::uint32_t number) const {
  const QueryPlan::Asked& asked = plan_.asked()[number];
  if (asked.learned) return learned_now_[*asked.learned];
  if (line_of_[number] == kNoLine) {
    std::uint32_t found = 0;
    for (Place at = asked.first; at < asked.last; ++at) found += plan_.counts(asked, current_[at]) ? 1U : 0U;
    return found;
  }
  const Line& line = lines_[line_of_[number]];
  if (line.kind.along == Along::nothing) return line.counts.count(0, 1);
  return line.kind.along == Along::codes ? line.counts.count(asked.codes.from, asked.codes.to)
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
      if (at != QueryPlan::kNoPlace && current_[at] == v) name(h_.key_of(v));
    }
    return;
  }
  for (Place at = asked.first; at < asked.last && named < most_of_one; ++at) {
    if (plan_.counts(asked, current_[at])) name(plan_.key_at(at));
  }
}

std::vector<Write> QueryReplay::seen_instead(const MissedRow& row) const {
  const QueryPlan::Asked& asked = plan_.asked()[row.asked];
  std::vector<Write> instead;
  for (const Write w : reads_.writes_of(row.key)) {
    if (!plan_.counts(asked, write_version_[index(w)]) && reads_.writer(w) != row.reader)
      instead.push_back(w);
  }
  return instead;
}

}  // namespace assay::check
