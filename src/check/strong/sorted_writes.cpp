#include "check/strong/sorted_writes.hpp"

#include <vector>

namespace assay::check {

SortedWrites::SortedWrites(const Problem& problem, const order::DynamicOrder& order)
    : p_(problem), reads_(problem.reads), order_(order), sorted_(reads_.writes()), place_(reads_.writes()) {
  std::vector<std::uint32_t> end(reads_.keys());
  for (std::uint32_t k = 0; k < reads_.keys(); ++k) {
    const Write initial = reads_.initial_write(Key{k});
    end[k] = index(initial);
    put(end[k]++, initial);
  }
  for (const Node u : order_.order()) {
    if (!p_.is_event(u) || !p_.is_commit(u)) continue;
    for (const Write w : reads_.writes_of(p_.txn_of(u))) put(end[index(reads_.key(w))]++, w);
  }
}

Write SortedWrites::last_before(Key key, std::uint32_t position_of_reader) const {
  const auto range = reads_.writes_of(key);
  std::uint32_t low = index(*range.begin()), high = index(*range.end());  // sorted_[low] is before the reader
  while (high - low > 1) {
    const std::uint32_t middle = low + (high - low) / 2;
    (position(sorted_[middle]) < position_of_reader ? low : high) = middle;
  }
  return sorted_[low];
}

bool SortedWrites::restore_to_the_left(Write w) {
  assert(!reads_.is_initial(w));
  const std::uint32_t old = place_[index(w)];
  const std::uint32_t here = position(w);
  std::uint32_t at = old;
  // The initial write, at position 0, stops every one.
  for (; position(sorted_[at - 1]) > here; --at) put(at, sorted_[at - 1]);
  if (at != old) put(at, w);
  return at != old;
}

bool SortedWrites::restore_to_the_right(Write w) {
  const std::uint32_t old = place_[index(w)];
  const std::uint32_t here = position(w);
  std::uint32_t at = old;
  for (; at + std::size_t{1} < sorted_.size(); ++at) {
    const Write next = sorted_[at + std::size_t{1}];
    if (reads_.is_initial(next) || position(next) > here) break;
    put(at, next);
  }
  if (at != old) put(at, w);
  return at != old;
}

}  // namespace assay::check
