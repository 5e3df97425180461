#include "verify/row_counts.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace assay::verify {

namespace {

constexpr std::uint32_t kNone = 0xFFFFFFFFU;
// Each costs a little with every write; predicates on further sets of keys look at each of them.
constexpr std::size_t kMostTrees = 8;

// The ranks of what lies in the interval: from, and to before. What is held of one sort follows each other.
std::pair<std::size_t, std::size_t> ranks_in(const Predicate::Interval& interval,
                                             const std::vector<Scalar>& held) {
  const Scalar::Sort sort = (interval.low ? *interval.low : *interval.high).sort();
  const auto is_below = [&](const Scalar& one) {
    if (one.sort() != sort || !interval.low) return one.sort() < sort;
    return interval.low_open ? one.compare(*interval.low) <= 0 : one.compare(*interval.low) < 0;
  };
  const auto is_not_above = [&](const Scalar& one) {
    if (one.sort() != sort || !interval.high) return one.sort() <= sort;
    return interval.high_open ? one.compare(*interval.high) < 0 : one.compare(*interval.high) <= 0;
  };
  const auto first = std::partition_point(held.begin(), held.end(), is_below);
  const auto last = std::partition_point(held.begin(), held.end(), is_not_above);
  const auto begin = static_cast<std::size_t>(first - held.begin());
  return {begin, std::max(begin, static_cast<std::size_t>(last - held.begin()))};
}

}  // namespace

RowCounts::RowCounts(const History& history, const Queries& queries)
    : h_(history), queries_(queries), place_(h_.keys(), kNone), present_(queries_.keys().size()) {
  for (std::uint32_t k = 0; k < h_.keys(); ++k) now_.push_back(h_.initial_version(Key{k}));
  for (std::uint32_t place = 0; place < queries_.keys().size(); ++place)
    place_[index(queries_.keys()[place])] = place;

  if (!queries_.learned().empty()) learned_by_.resize(h_.versions());
  for (const auto& [predicate, known] : queries_.learned()) {
    learned_[predicate] = 0;
    for (const Version v : known) {
      if (!queries_.is_gone(v)) learned_by_[index(v)].push_back(predicate);
    }
  }
  std::map<Along, std::uint32_t> uses;
  for (const Queries::Asked& asked : queries_.all()) {
    if (const auto its = along(asked)) ++uses[*its];
  }
  std::vector<std::pair<std::uint32_t, Along>> most_used;
  most_used.reserve(uses.size());
  for (const auto& [its, times] : uses) most_used.emplace_back(times, its);
  std::sort(most_used.rbegin(), most_used.rend());
  if (most_used.size() > kMostTrees) most_used.resize(kMostTrees);
  for (const auto& [times, its] : most_used) {
    if (its.first) rank(*its.first);
    trees_.emplace(its, its.first ? ranks_.at(*its.first).held.size() + 1 : 1);
  }
  for (const Key k : queries_.keys()) count(k, now(k), 1);
}

std::optional<RowCounts::Along> RowCounts::along(const Queries::Asked& asked) const {
  if (asked.predicate == 0 || !asked.says_all || queries_.learned(asked.predicate) != nullptr) {
    return std::nullopt;
  }
  const Predicate& meaning = queries_.meaning(asked);
  const Places places{asked.first, asked.last};
  if (meaning.every_row()) return Along{std::nullopt, places};
  const auto interval = meaning.interval();
  if (!interval) return std::nullopt;
  return Along{meaning.columns()[interval->column], places};
}

void RowCounts::rank(const Predicate::Column& column) {
  const auto [made, is_new] = ranks_.try_emplace(column);
  if (!is_new) return;
  auto& [all, ranks] = made->second;
  const auto scalar = [&](std::uint32_t v) {
    if (!queries_.is_known_row(Version{v})) return Scalar();
    return held(column, h_.name(h_.key_of(Version{v})), h_.value(Version{v}));
  };
  for (std::uint32_t v = 0; v < h_.versions(); ++v) {
    if (Scalar its = scalar(v); its.comparable()) all.push_back(std::move(its));
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  for (std::uint32_t v = 0; v < h_.versions(); ++v) {
    const Scalar its = scalar(v);
    const auto at = its.comparable() ? std::lower_bound(all.begin(), all.end(), its) : all.end();
    ranks.push_back(static_cast<std::uint32_t>(at - all.begin()));
  }
}

void RowCounts::set(Key k, Version v) {
  if (place_[index(k)] != kNone) {
    count(k, now(k), static_cast<std::uint32_t>(-1));
    count(k, v, 1);
  }
  now_[index(k)] = v;
}

void RowCounts::count(Key k, Version v, std::uint32_t by) {
  const std::uint32_t place = place_[index(k)];
  if (!queries_.is_gone(v)) present_.add(place, by);
  if (!learned_by_.empty()) {
    for (const std::uint32_t predicate : learned_by_[index(v)]) learned_[predicate] += by;
  }
  if (!queries_.is_known_row(v)) return;
  for (auto& [its, sums] : trees_) {
    const auto& [column, places] = its;
    if (place < places.first || place >= places.second) continue;
    sums.add(column ? ranks_.at(*column).rank[index(v)] : 0, by);
  }
}

bool RowCounts::returns_no_more(std::uint32_t number) const {
  const Queries::Asked& asked = queries_.all()[number];
  if (!asked.says_all) return true;
  std::uint32_t expected = 0, there = 0;
  for (const Version v : h_.query(asked.query).results) expected += queries_.returns(asked, v) ? 1U : 0U;
  const auto its = along(asked);
  const auto sums = its ? trees_.find(*its) : trees_.end();
  if (queries_.learned(asked.predicate) != nullptr) {
    there = learned_.at(asked.predicate);
  } else if (asked.predicate == 0) {
    there = present_.before(asked.last) - present_.before(asked.first);
  } else if (sums == trees_.end()) {
    for (std::uint32_t place = asked.first; place < asked.last; ++place)
      there += queries_.returns(asked, now(queries_.keys()[place])) ? 1U : 0U;
  } else if (!its->first) {
    there = sums->second.before(1);
  } else {
    const auto [first, last] = ranks_in(*queries_.meaning(asked).interval(), ranks_.at(*its->first).held);
    there = sums->second.before(last) - sums->second.before(first);
  }
  return there == expected;
}

}  // namespace assay::verify
