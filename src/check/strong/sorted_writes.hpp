// Each key's writes in the order of their commits, and kept so while transactions move. What is wrong with an
// order of events is always between two neighbours in here.
#pragma once

#include <cassert>
#include <cstdint>

#include "check/strong/problem.hpp"
#include "memory/huge_pages.hpp"
#include "order/dynamic_order.hpp"

namespace assay::check {

class SortedWrites {
 public:
  // Both must outlive this object.
  SortedWrites(const Problem& problem, const order::DynamicOrder& order);

  // Where the writer of w commits, counted from 1, so that the initial write, at 0, is before all.
  std::uint32_t position(Write w) const {
    return reads_.is_initial(w) ? 0 : order_.position(p_.commit_of(reads_.writer(w))) + 1;
  }

  void prefetch_position(Write w) const {
    if (!reads_.is_initial(w)) order_.prefetch_position(p_.commit_of(reads_.writer(w)));
  }

  bool has_next(Write w) const {
    // The writes of the next key begin with its initial one.
    const std::size_t after = place_[index(w)] + std::size_t{1};
    return after < sorted_.size() && !reads_.is_initial(sorted_[after]);
  }
  Write next(Write w) const { return sorted_[place_[index(w)] + std::size_t{1}]; }
  // REQUIRES: !is_initial(w).
  Write previous(Write w) const {
    assert(!reads_.is_initial(w));
    return sorted_[place_[index(w)] - 1];
  }

  // The last write of a key whose position is below `position`. REQUIRES: position > 0.
  Write last_before(Key key, std::uint32_t position) const;

  // Puts a write in its place again after its writer moved earlier, or later. Of several that moved, those
  // that moved earlier must come first, in ascending order, then the others in descending order: in any other
  // order a write that is itself still to move can stand in the way of another. True if its place changed.
  bool restore_to_the_left(Write w);
  bool restore_to_the_right(Write w);

 private:
  void put(std::uint32_t where, Write w) {
    sorted_[where] = w;
    place_[index(w)] = where;
  }

  const Problem& p_;
  const Reads& reads_;
  const order::DynamicOrder& order_;
  LargeVector<Write> sorted_;         // key by key, in the slices in which Reads numbers them
  LargeVector<std::uint32_t> place_;  // write -> index in sorted_
};

}  // namespace assay::check
