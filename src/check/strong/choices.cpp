#include "check/strong/choices.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "check/strong/blame.hpp"

namespace assay::check {

void Choices::follow_problem() {
  const std::span<const Problem::AmbiguousRead> all = p_.ambiguous_reads();
  if (all.empty()) return;
  if (first_.empty()) first_.assign(p_.reads.transactions(), kNone);
  for (auto q = static_cast<std::uint32_t>(reads_.size()); q < all.size(); ++q) {
    reads_.emplace_back();
    reads_[q].next = std::exchange(first_[index(all[q].reader)], q);
  }
}

Choices::Batch Choices::introduce(std::uint32_t read, const std::function<std::uint32_t(Write)>& distance,
                                  const std::function<std::uint32_t(std::uint32_t)>& new_variable) {
  Read& its = reads_[read];
  Batch batch;
  const std::span<const Write> all = p_.candidates(p_.ambiguous_reads()[read]);
  std::set_difference(all.begin(), all.end(), its.taken.begin(), its.taken.end(),
                      std::back_inserter(batch.candidates));
  // What is left for later must be two at least: a clause with a single open literal would have to be applied
  // at once.
  const std::size_t most = std::max<std::size_t>(at_once_, its.taken.size());
  const bool all_of_them = batch.candidates.size() <= most + 1;
  if (!all_of_them) {
    std::vector<std::pair<std::uint32_t, Write>> by_distance;
    for (const Write w : batch.candidates) by_distance.emplace_back(distance(w), w);
    std::nth_element(by_distance.begin(), by_distance.begin() + static_cast<std::ptrdiff_t>(most),
                     by_distance.end());
    batch.candidates.resize(most);
    for (std::size_t i = 0; i < most; ++i) batch.candidates[i] = by_distance[i].second;
    std::sort(batch.candidates.begin(), batch.candidates.end());
  }
  const std::size_t before = its.taken.size();
  its.taken.insert(its.taken.end(), batch.candidates.begin(), batch.candidates.end());
  std::inplace_merge(its.taken.begin(), its.taken.begin() + static_cast<std::ptrdiff_t>(before),
                     its.taken.end());

  const Lit another_before = std::exchange(its.another, kNoLit);
  for (const Write w : batch.candidates) batch.clause.push_back(2 * new_variable(index(w)));
  if (!all_of_them) {
    its.another = 2 * new_variable(kAnother);
    batch.clause.push_back(its.another);
  }
  its.literals.insert(its.literals.end(), batch.clause.begin(), batch.clause.end());
  if (another_before != kNoLit) batch.clause.push_back(negate(another_before));
  return batch;
}

}  // namespace assay::check
