#include "check/learned_predicates.hpp"

#include <algorithm>
#include <numeric>

#include "history/predicate.hpp"

namespace assay::check {

LearnedPredicates::LearnedPredicates(const History& history) {
  if (!history.has(OpKind::predicate_read)) return;
  for (const Txn t : history.all_transactions()) {
    if (history.status(t) != Status::committed) continue;  // of others reads prove nothing
    for (const Op op : history.operations_of(t)) {
      if (history.kind(op) != OpKind::predicate_read) continue;
      const Query query = history.query(op);
      if (!is_learned(*query.predicate)) continue;
      const auto at = numbers_.try_emplace(std::string(query.predicate->text), count()).first;
      if (at->second == count()) matching_.emplace_back();
      std::vector<Version>& known = matching_[at->second];
      known.insert(known.end(), query.results.begin(), query.results.end());
    }
  }
  if (numbers_.empty()) return;
  std::vector<bool> is_gone(history.versions(), false);  // what a delete left is no row
  for (const Op op : IdRange<Op>{0, history.operations()}) {
    if (history.kind(op) == OpKind::erase) is_gone[index(history.version(op))] = true;
  }
  first_.assign(history.versions() + std::size_t{1}, 0);
  for (std::vector<Version>& known : matching_) {
    std::sort(known.begin(), known.end());
    known.erase(std::unique(known.begin(), known.end()), known.end());
    std::erase_if(known, [&](Version v) { return is_gone[index(v)]; });
    for (const Version v : known) ++first_[index(v) + std::size_t{1}];
  }
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  by_version_.resize(first_.back());
  std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
  for (Number p = 0; p < count(); ++p) {
    for (const Version v : matching_[p]) by_version_[next[index(v)]++] = p;
  }
}

std::optional<LearnedPredicates::Number> LearnedPredicates::number_of(const Query& query) const {
  if (numbers_.empty() || !query.predicate || !is_learned(*query.predicate)) return std::nullopt;
  const auto found = numbers_.find(query.predicate->text);
  return found == numbers_.end() ? std::nullopt : std::optional(found->second);
}

bool LearnedPredicates::matches(Number predicate, Version v) const {
  return std::binary_search(matching_[predicate].begin(), matching_[predicate].end(), v);
}

std::span<const LearnedPredicates::Number> LearnedPredicates::that_match(Version v) const {
  if (first_.empty()) return {};
  return std::span(by_version_)
      .subspan(first_[index(v)], first_[index(v) + std::size_t{1}] - first_[index(v)]);
}

}  // namespace assay::check
