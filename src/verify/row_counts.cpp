#include "verify/row_counts.hpp"

#include <algorithm>
#include <optional>

namespace assay::verify {

namespace {

constexpr std::uint32_t kNone = 0xFFFFFFFFU;
// Each costs a little with every write; predicates on further sets of keys look at each of them.
constexpr std::size_t kMostTrees = 8;

}  // namespace

RowCounts::RowCounts(const History& history, const Queries& queries)
    : h_(history),
      queries_(queries),
      place_(h_.keys(), kNone),
      rank_(h_.versions(), 0),
      present_(queries_.keys().size()) {
  for (std::uint32_t k = 0; k < h_.keys(); ++k) now_.push_back(h_.initial_version(Key{k}));
  for (std::uint32_t place = 0; place < queries_.keys().size(); ++place)
    place_[index(queries_.keys()[place])] = place;

  const auto number_of = [&](Version v) {
    return queries_.is_known_row(v) ? shown_number(h_.value(v)) : std::nullopt;
  };
  if (!queries_.all().empty()) {
    for (std::uint32_t v = 0; v < h_.versions(); ++v) {
      if (const auto number = number_of(Version{v})) numbers_.push_back(*number);
    }
    std::sort(numbers_.begin(), numbers_.end());
    numbers_.erase(std::unique(numbers_.begin(), numbers_.end()), numbers_.end());
    for (std::uint32_t v = 0; v < h_.versions(); ++v) {
      const auto number = number_of(Version{v});
      const auto at = number ? std::lower_bound(numbers_.begin(), numbers_.end(), *number) : numbers_.end();
      rank_[v] = static_cast<std::uint32_t>(at - numbers_.begin());
    }
  }
  if (!queries_.learned().empty()) learned_by_.resize(h_.versions());
  for (const auto& [predicate, known] : queries_.learned()) {
    learned_[predicate] = 0;
    for (const Version v : known) {
      if (!queries_.is_gone(v)) learned_by_[index(v)].push_back(predicate);
    }
  }
  std::map<Places, std::uint32_t> uses;
  for (const Queries::Asked& asked : queries_.all()) {
    const bool has_places = asked.predicate != 0 && queries_.learned(asked.predicate) == nullptr;
    if (has_places && asked.says_all) ++uses[{asked.first, asked.last}];
  }
  std::vector<std::pair<std::uint32_t, Places>> most_used;
  most_used.reserve(uses.size());
  for (const auto& [places, times] : uses) most_used.emplace_back(times, places);
  std::sort(most_used.rbegin(), most_used.rend());
  for (std::size_t i = 0; i < std::min(most_used.size(), kMostTrees); ++i)
    along_numbers_.emplace(most_used[i].second, numbers_.size() + 1);
  for (const Key k : queries_.keys()) count(k, now(k), 1);
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
  for (auto& [places, sums] : along_numbers_) {
    if (places.first <= place && place < places.second) sums.add(rank_[index(v)], by);
  }
}

bool RowCounts::returns_no_more(std::uint32_t number) const {
  const Queries::Asked& asked = queries_.all()[number];
  if (!asked.says_all) return true;
  std::uint32_t expected = 0, there = 0;
  for (const Version v : h_.query(asked.query).results) expected += queries_.returns(asked, v) ? 1U : 0U;
  const auto sums = along_numbers_.find({asked.first, asked.last});
  if (queries_.learned(asked.predicate) != nullptr) {
    there = learned_.at(asked.predicate);
  } else if (asked.predicate == 0) {
    there = present_.before(asked.last) - present_.before(asked.first);
  } else if (sums == along_numbers_.end()) {
    for (std::uint32_t place = asked.first; place < asked.last; ++place)
      there += queries_.returns(asked, now(queries_.keys()[place])) ? 1U : 0U;
  } else {
    std::size_t first = 0, last = numbers_.size() + 1;
    if (const auto range = queries_.numbers(asked)) {
      const auto rank = [&](auto at) { return static_cast<std::size_t>(at - numbers_.begin()); };
      first = rank(std::lower_bound(numbers_.begin(), numbers_.end(), range->low));
      last = std::max(first, rank(std::upper_bound(numbers_.begin(), numbers_.end(), range->high)));
    }
    there = sums->second.before(last) - sums->second.before(first);
  }
  return there == expected;
}

}  // namespace assay::verify
