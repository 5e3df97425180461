// For each key its writers, grouped by chain and in chain order: the structure on which "the last writer of x
// in that session that is not after this point" is answered. A chain is a session, or any other sequence of
// transactions that follow each other.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "check/attributed.hpp"

namespace assay::check {

// Every transaction's chain and its place in it; places count from 1 and grow along a chain.
struct Chains {
  std::vector<std::uint32_t> chain, place;
  std::uint32_t count = 0;
};

// The sessions as chains.
Chains session_chains(const AttributedHistory& history);

// Sessions joined end to start where reads-from allows, so that histories of very many short sessions (or
// none at all) need fewer chains. REQUIRES: session order and reads-from are acyclic.
Chains causal_chains(const AttributedHistory& history);

class KeyWriters {
 public:
  struct Group {
    std::uint32_t chain;
    std::uint32_t begin, end;  // in place() and writer()
  };

  KeyWriters(const AttributedHistory& history, const Chains& chains);

  // By increasing chain.
  std::span<const Group> groups(std::uint32_t key) const {
    return {groups_.data() + group_begin_[key], groups_.data() + group_begin_[key + 1]};
  }
  std::uint32_t place(std::uint32_t i) const { return places_[i]; }
  std::uint32_t writer(std::uint32_t i) const { return writers_[i]; }

  // The last writer in the group whose place is at most `limit`, as an index, or kNobody. Asked with limits
  // that mostly grow slowly, so the search starts where the last one in this group ended.
  std::uint32_t last_up_to(const Group& group, std::uint32_t limit) {
    if (places_[group.begin] > limit) return kNobody;
    if (group.end - group.begin <= kFew) {
      std::uint32_t at = group.end - 1;
      while (places_[at] > limit) --at;
      return at;
    }
    std::uint32_t& hint = hints_[static_cast<std::size_t>(&group - groups_.data())];
    hint = places_[hint] <= limit ? search_up(hint, group.end, limit) : search_down(group.begin, hint, limit);
    return hint;
  }

 private:
  static constexpr std::uint32_t kFew = 8;

  // REQUIRES: places_[low] <= limit. Doubling steps, then bisection.
  std::uint32_t search_up(std::uint32_t low, std::uint32_t end, std::uint32_t limit) const {
    std::uint32_t step = 1;
    while (step < end - low && places_[low + step] <= limit) {
      low += step;
      step *= 2;
    }
    return bisect(low, std::min(end - low, step) + low, limit);
  }
  // REQUIRES: places_[begin] <= limit < places_[high].
  std::uint32_t search_down(std::uint32_t begin, std::uint32_t high, std::uint32_t limit) const {
    std::uint32_t step = 1;
    while (step < high - begin && places_[high - step] > limit) {
      high -= step;
      step *= 2;
    }
    return bisect(step < high - begin ? high - step : begin, high, limit);
  }
  // REQUIRES: places_[low] <= limit, and limit < places_[high] or high is the end.
  std::uint32_t bisect(std::uint32_t low, std::uint32_t high, std::uint32_t limit) const {
    while (high - low > 1) {
      const std::uint32_t middle = low + (high - low) / 2;
      (places_[middle] <= limit ? low : high) = middle;
    }
    return low;
  }

  std::vector<std::uint32_t> group_begin_;  // per key
  std::vector<Group> groups_;
  std::vector<std::uint32_t> hints_;  // per group
  std::vector<std::uint32_t> places_, writers_;
};

}  // namespace assay::check
