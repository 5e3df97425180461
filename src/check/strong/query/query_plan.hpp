// What the queries of a history ask for, in numbers that a replay can count with. All keys that a query can
// speak of stand in one order (key_order.hpp), and in every column that predicates ask for every version has a
// code (column_codes.hpp). A query, range or predicate, is mostly a rectangle: some places in a row, and some codes
// of one column in a row. It returned as many rows as it should have iff the current codes at its places count as
// `expected`. A predicate that is no rectangle has a condition that is asked of each version; and a query by a
// learned predicate counts the current versions that the predicate is known to match.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "check/learned_predicates.hpp"
#include "check/strong/query/column_codes.hpp"
#include "history/history.hpp"
#include "history/predicate.hpp"

namespace assay::check {

class QueryPlan {
 public:
  using Place = std::uint32_t;   // of a key
  using Column = std::uint32_t;  // 0: whether there is a row (Nature); then those that predicates ask for
  static constexpr Place kNoPlace = 0xFFFFFFFFU;

  struct Asked {
    Op query;
    Place first, last;                                 // from, and to before
    Column column;                                     // of the codes
    CodeRun codes;                                     // that it counts
    std::uint32_t expected;                            // rows of its result that it counts
    std::optional<LearnedPredicates::Number> learned;  // then nothing is at its places
    std::optional<std::uint32_t> condition;            // then that decides, and not the codes
  };

  // `history` must outlive this object. Linear in it but for sorting, and bisection for each query.
  explicit QueryPlan(const History& history);

  // By operation; those of committed transactions that say something of what they did not return.
  std::span<const Asked> asked() const { return asked_; }
  std::span<const Asked> asked_by(Txn t) const;

  Place places() const { return static_cast<Place>(keys_.size()); }
  Place place_of(Key k) const { return place_[index(k)]; }
  Key key_at(Place place) const { return keys_[place]; }
  Code codes(Column column) const { return column == 0 ? kNatures : columns_[column - 1].second.count(); }
  Code code_of(Column column, Version v) const {
    return column == 0 ? static_cast<Code>(natures_[index(v)]) : columns_[column - 1].second.of(v);
  }
  // Whether the query would return this version of a key at its places, for certain.
  bool counts(const Asked& asked, Version v) const {
    if (asked.learned) return learned_.matches(*asked.learned, v);
    if (asked.condition) return meets(*asked.condition, v);
    return asked.codes.has(code_of(asked.column, v));
  }

  const LearnedPredicates& learned() const { return learned_; }

  // Not empty: why what queries returned, or did not, does not say all that it could.
  const std::string& left_out() const { return left_out_; }

 private:
  // A predicate that is no rectangle. Without codes for all of its columns it is asked as it is.
  struct General {
    Predicate plain;
    bool is_coded;
    std::vector<CodedCondition> conditions;
  };

  void learn_versions();
  void choose_columns();
  std::optional<Column> column_named(const Predicate::Column& column) const;
  void sort_keys();
  void take(Op op);
  void take_results(Asked& asked, const Query& query, bool has_predicate, bool speaks_of_others);
  void ask(Asked& asked, const Predicate& predicate, std::string_view text);
  bool meets(std::uint32_t condition, Version v) const;
  std::pair<Place, Place> places_of(const Query& query, const std::optional<Predicate>& predicate) const;
  void leave_out(const std::string& why) {
    if (left_out_.empty()) left_out_ = why;
  }
  std::string name_of(Key k) const { return "key " + to_string(h_.name(k)); }

  const History& h_;
  const LearnedPredicates learned_;
  std::string left_out_;
  std::vector<bool> is_list_, is_loaded_;     // per key; loaded: there was a row before the first transaction
  std::vector<Key> keys_;                     // by place
  std::vector<Place> place_;                  // per key
  std::vector<std::uint32_t> loaded_before_;  // place -> how many loaded keys stand before it
  std::vector<Nature> natures_;               // per version
  std::vector<std::pair<Predicate::Column, ColumnCodes>> columns_;  // from column 1 on
  std::vector<General> generals_;
  std::map<std::string_view, std::uint32_t> general_;  // by the text of the predicate
  std::vector<Asked> asked_;
  std::vector<std::uint32_t> last_query_;  // key -> the last query (+ 1) that returned it
};

}  // namespace assay::check
