// For each key its writers, chain by chain and in chain order: the structure on which "the last writer of x
// in that session that is not after this point" is answered. A chain is a session, or any other sequence of
// transactions that follow each other.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "check/weak/attributed.hpp"
#include "memory/prefetch.hpp"

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
  static constexpr std::uint32_t kNone = 0xFFFFFFFFU;

  struct Entry {
    std::uint32_t chain, place;
    bool operator<(const Entry& other) const {
      return chain != other.chain ? chain < other.chain : place < other.place;
    }
  };
  // The entries of one key in one chain.
  struct Group {
    std::uint32_t chain;
    std::uint32_t begin, end;
  };

  KeyWriters(const AttributedHistory& history, const Chains& chains);

  // Sorted. The number of an entry is its distance from entry(0).
  std::span<const Entry> entries(Key key) const {
    return {entries_.data() + entry_begin_[index(key)],
            entries_.data() + entry_begin_[index(key) + std::size_t{1}]};
  }
  const Entry& entry(std::uint32_t i) const { return entries_[i]; }
  Txn writer(std::uint32_t i) const { return writers_[i]; }
  Txn writer(const Entry& entry) const {
    return writers_[static_cast<std::size_t>(&entry - entries_.data())];
  }
  void prefetch(Key key) const {
    const auto of_key = entries(key);
    // Eight lines hold the writers of an ordinary key.
    for (std::size_t i = 0; i < std::min<std::size_t>(of_key.size(), 64); i += 8) {
      assay::prefetch(of_key.data() + i);
    }
  }

  // Only for keys with so many writers per chain that looking at all entries would be slow; by increasing
  // chain.
  std::span<const Group> groups(Key key) const {
    return {groups_.data() + group_begin_[index(key)],
            groups_.data() + group_begin_[index(key) + std::size_t{1}]};
  }
  // The number of the last entry of the group whose place is at most `limit`, or kNone. Asked with limits
  // that mostly grow slowly, so the search starts where the last one in this group ended.
  std::uint32_t last_up_to(const Group& group, std::uint32_t limit) {
    if (entries_[group.begin].place > limit) return kNone;
    std::uint32_t& hint = hints_[static_cast<std::size_t>(&group - groups_.data())];
    hint = entries_[hint].place <= limit ? search_up(hint, group.end, limit)
                                         : search_down(group.begin, hint, limit);
    return hint;
  }

 private:
  static constexpr std::size_t kManyPerChain = 4;

  // REQUIRES: the place at `low` is at most `limit`. Doubling steps, then bisection.
  std::uint32_t search_up(std::uint32_t low, std::uint32_t end, std::uint32_t limit) const {
    std::uint32_t step = 1;
    while (step < end - low && entries_[low + step].place <= limit) {
      low += step;
      step *= 2;
    }
    return bisect(low, std::min(end - low, step) + low, limit);
  }
  // REQUIRES: the place at `begin` is at most `limit`, the one at `high` is not.
  std::uint32_t search_down(std::uint32_t begin, std::uint32_t high, std::uint32_t limit) const {
    std::uint32_t step = 1;
    while (step < high - begin && entries_[high - step].place > limit) {
      high -= step;
      step *= 2;
    }
    return bisect(step < high - begin ? high - step : begin, high, limit);
  }
  // REQUIRES: the place at `low` is at most `limit`; the one at `high` is not, or `high` is the end.
  std::uint32_t bisect(std::uint32_t low, std::uint32_t high, std::uint32_t limit) const {
    while (high - low > 1) {
      const std::uint32_t middle = low + (high - low) / 2;
      (entries_[middle].place <= limit ? low : high) = middle;
    }
    return low;
  }

  std::vector<std::uint32_t> entry_begin_;  // per key
  LargeVector<Entry> entries_;
  LargeVector<Txn> writers_;                // per entry
  std::vector<std::uint32_t> group_begin_;  // per key
  std::vector<Group> groups_;
  std::vector<std::uint32_t> hints_;  // per group
};

}  // namespace assay::check
