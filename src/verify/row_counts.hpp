// How many rows a query would return of what is there now, without a look at each key: sums in binary indexed
// trees (Fenwick 1994). Ranges count along the keys; predicates that ask for the same keys and column count along
// what the column holds. What learned predicates match is counted as it comes and goes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "history/history.hpp"
#include "history/predicate.hpp"
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
  // Of the keys at some places, how often each rank is there: of what a column holds, or 0 where any row will do.
  using Places = std::pair<std::uint32_t, std::uint32_t>;
  using Along = std::pair<std::optional<Predicate::Column>, Places>;
  struct Ranks {
    std::vector<Scalar> held;         // sorted
    std::vector<std::uint32_t> rank;  // per version; behind all that is held if it holds nothing
  };

  // Nothing if no tree can count what it asks for.
  std::optional<Along> along(const Queries::Asked& asked) const;
  void rank(const Predicate::Column& column);
  void count(Key k, Version v, std::uint32_t by);

  const History& h_;
  const Queries& queries_;
  std::vector<Version> now_;          // per key
  std::vector<std::uint32_t> place_;  // per key
  Sums present_;                      // along the keys
  std::map<Predicate::Column, Ranks> ranks_;
  std::map<Along, Sums> trees_;
  // Of learned predicates: those that match a version, and how many current versions each of them matches.
  std::vector<std::vector<std::uint32_t>> learned_by_;
  std::map<std::uint32_t, std::uint32_t> learned_;
};

}  // namespace assay::verify
