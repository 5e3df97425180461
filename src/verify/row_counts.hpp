// How many rows a query would return of what is there now, without a look at each key: sums in binary indexed
// trees (Fenwick 1994). Ranges count along the keys; predicates that ask for the same keys count along the
// numbers that rows show. What learned predicates match is counted as it comes and goes.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "history/history.hpp"
#include "verify/queries.hpp"

namespace assay::verify {

class Sums {
 public:
  explicit Sums(std::size_t size) : tree_(size + 1, 0) {}
  void add(std::size_t at, std::uint32_t by) {
    for (++at; at < tree_.size(); at += at & (~at + 1)) tree_[at] += by;
  }
  // Of all before `end`.
  std::uint32_t before(std::size_t end) const {
    std::uint32_t sum = 0;
    for (; end > 0; end -= end & (~end + 1)) sum += tree_[end];
    return sum;
  }

 private:
  std::vector<std::uint32_t> tree_;
};

class RowCounts {
 public:
  // Starts with the initial state. Both must outlive this object.
  RowCounts(const History& history, const Queries& queries);

  // What is there of a key from now on.
  void set(Key k, Version v);
  Version now(Key k) const { return now_[index(k)]; }
  // Whether the query would return no row that is not in its result. REQUIRES: every row of its result is
  // there, it is in the order of Queries::all(), and the queries are clear.
  bool returns_no_more(std::uint32_t number) const;

 private:
  using Places = std::pair<std::uint32_t, std::uint32_t>;

  void count(Key k, Version v, std::uint32_t by);

  const History& h_;
  const Queries& queries_;
  std::vector<Version> now_;              // per key
  std::vector<std::uint32_t> place_;      // per key
  std::vector<std::int64_t> numbers_;     // that rows show, sorted
  std::vector<std::uint32_t> rank_;       // version -> of its number; behind all numbers if it shows none
  Sums present_;                          // along the keys
  std::map<Places, Sums> along_numbers_;  // of the keys at these places
  // Of learned predicates: those that match a version, and how many current versions each of them matches.
  std::vector<std::vector<std::uint32_t>> learned_by_;
  std::map<std::uint32_t, std::uint32_t> learned_;
};

}  // namespace assay::verify
