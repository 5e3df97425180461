// Queries by refinement. What a query returned are reads like any other; what it did not return is not
// written down for each key that it asked for, but looked at in the orders that are found. Where one lets a
// query see a row that it did not return, that one read (it saw the key at a version that is no row, or does
// not match) is added to the problem, and the search goes on. Counterexample-guided refinement (Clarke,
// Grumberg, Jha, Lu and Veith 2000): the reads that were added are consequences of the history, so what
// contradicts them contradicts it; an order in which no query misses a row satisfies all. docs/engine.md.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "check/limits.hpp"
#include "check/outcome.hpp"
#include "check/reads.hpp"
#include "check/strong/problem.hpp"
#include "check/strong/query/query_plan.hpp"
#include "check/strong/query/query_replay.hpp"
#include "check/strong/search.hpp"

namespace assay::check {

class QueryRefinement {
 public:
  // `most_of_one`: where an order is far off, most of what it shows is wrong for the same reason, and the next
  // one is better; so no more rows of one query are taken from it. All must outlive this object.
  QueryRefinement(const QueryPlan& plan, const History& history, const Reads& reads,
                  std::uint32_t most_of_one, Limits& limits);

  // What earlier orders got wrong, for a problem that has just been made.
  void add_to(Problem& problem) const;
  // REQUIRES: the order explains all reads of the problem, which add_to() has seen.
  Refinement look_at(Problem& problem, std::span<const Node> order);

  // REQUIRES: look_at() said that no order can be right. The reads that say why.
  std::vector<BadRead> bad_reads() const;

  // How often an order was replayed, and how many reads of missed rows were added.
  std::uint64_t replays() const { return replays_; }
  std::uint64_t reads_added() const { return added_.size(); }

 private:
  struct Added {
    Txn reader;
    std::size_t end;  // of its candidates
  };

  const QueryPlan& plan_;
  const History& h_;
  const Reads& reads_;
  const std::uint32_t most_of_one_;
  Limits& limits_;
  QueryReplay replay_;
  std::vector<Added> added_;
  std::vector<Write> candidates_;  // of all that were added
  std::uint64_t replays_ = 0;
  MissedRow impossible_{};
};

}  // namespace assay::check
