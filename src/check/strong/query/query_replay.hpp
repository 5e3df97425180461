// Runs an order of events and counts what each query would have returned. In an order that explains the rows
// that queries did return, a query that counts as many rows as it returned returned them all; where it counts
// more, the replay names the rows that it missed. (docs/engine.md says why that is exact.)
//
// Counting: queries that ask for the same keys and column share a line of counters along the codes, queries that ask
// for the same codes share one along the keys, and those with the same condition share one counter. A counter changes in constant time, and a sum over a part of a line
// takes the square root of its length: there are far more writes than queries. Lines are kept where they
// cost less than they save; the other queries look at each key that they ask for. Of each learned predicate the
// current versions that it matches are counted as they come and go.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "check/limits.hpp"
#include "check/reads.hpp"
#include "check/strong/problem.hpp"
#include "check/strong/query/query_plan.hpp"

namespace assay::check {

// Counters in a line, and their sums in blocks.
class BlockCounts {
 public:
  explicit BlockCounts(std::uint32_t size);
  void add(std::uint32_t at) { ++cells_[at], ++blocks_[at >> shift_]; }
  void remove(std::uint32_t at) { --cells_[at], --blocks_[at >> shift_]; }
  // From `first` to before `last`.
  std::uint32_t count(std::uint32_t first, std::uint32_t last) const;
  void clear();

 private:
  std::uint32_t shift_ = 0;
  std::vector<std::uint32_t> cells_, blocks_;
};

// A row that a query did not return, although it would have seen it.
struct MissedRow {
  std::uint32_t asked;  // index in QueryPlan::asked()
  Txn reader;
  Key key;
};

class QueryReplay {
 public:
  // All must outlive this object.
  QueryReplay(const QueryPlan& plan, const History& history, const Reads& reads);

  // Of each query up to `most_of_one`. `order` lists the nodes of the problem and explains all other reads.
  // Stops early if a limit is reached.
  std::vector<MissedRow> missed_rows(const Problem& problem, std::span<const Node> order,
                                     std::uint32_t most_of_one, Limits& limits);

  // The writes of the row's key that its query can have seen instead, in increasing order.
  std::vector<Write> seen_instead(const MissedRow& row) const;

 private:
  using Place = QueryPlan::Place;
  using Column = QueryPlan::Column;
  enum class Along : std::uint8_t { codes, keys, nothing };
  // Along the codes of a column, of the keys from `first` to before `last`; along the keys, of those codes; or one
  // counter, of what `sample` asks for.
  struct Kind {
    Along along;
    Column column;
    std::uint32_t first, last;
    auto operator<=>(const Kind&) const = default;
  };
  struct Line {
    Kind kind;
    std::uint32_t sample;  // a query of those that it is for
    BlockCounts counts;
  };
  static constexpr std::uint32_t kNoLine = 0xFFFFFFFFU;

  static Kind kind_along_keys(const QueryPlan::Asked& asked);
  void choose_lines();
  // Where the line counts a version at a place; nothing if it does not.
  std::optional<std::uint32_t> cell_of(const Line& line, Place place, Version version) const;
  void reset();
  void set(Place place, Version version);
  void begin(Txn t, std::uint32_t most_of_one, std::vector<MissedRow>& missed);
  void commit(Txn t);
  void ask(std::uint32_t asked, Txn reader, std::uint32_t most_of_one, std::vector<MissedRow>& missed);
  std::uint32_t count(std::uint32_t asked) const;
  void name_missed(std::uint32_t asked, Txn reader, std::uint32_t most_of_one,
                   std::vector<MissedRow>& missed) const;
  bool has_learned() const { return plan_.learned().count() != 0; }

  const QueryPlan& plan_;
  const History& h_;
  const Reads& reads_;
  std::vector<Version> write_version_;      // write -> what it leaves
  std::vector<std::uint32_t> first_asked_;  // transaction -> its first query, one more than there are
  std::vector<Line> lines_;
  std::vector<std::uint32_t> line_of_;      // query -> the line that it counts along, or kNoLine
  std::vector<Version> initial_, current_;  // by place
  std::vector<std::uint32_t> learned_now_;  // how many of these each learned predicate matches
};

}  // namespace assay::check
