// The predicates that Assay understands (docs/formats.md): conditions on the columns of a row as SQL writes them,
// with its three-valued logic, on all keys or on those with a prefix. What it does not understand it does not guess.
//
//   stock:* where quantity < 10 and (place = 'Kiel' or place is null)
//   value >= 10 and value < 20    of rows that are no more than a value
//   row:* between 10 and 19       short for  row:* where value between 10 and 19
//
// Of a predicate that was learned only its identity is known, and which rows it returned.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "history/atom.hpp"
#include "history/scalar.hpp"

namespace assay {

// Whether a predicate is known only by its identity: a JSON object whose first member is "is", say
// {"is":"9f3c...","table":"doctors"}. Two are one predicate iff they are written alike.
bool is_learned(const Atom& predicate);

enum class Truth : std::uint8_t { no, unknown, yes };

// A condition as a tree. BETWEEN, IN, <> and the forms with NOT are made of these.
struct Condition {
  enum class Kind : std::uint8_t {
    all,      // AND of the parts
    any,      // OR of the parts
    negated,  // NOT of the one part
    less,     // the column stands so to the constant
    at_most,
    equal,
    at_least,
    more,
    starts_with,  // LIKE 'constant%'
    is_null,
  };
  Kind kind = Kind::all;
  std::uint32_t column = 0;  // its number in the predicate
  Scalar constant;
  std::vector<Condition> parts;

  bool is_comparison() const { return kind >= Kind::less && kind <= Kind::more; }
};

// Whether a column that holds this meets a condition without parts.
Truth meets(const Condition& condition, const Scalar& held);

template <class Visit>
void for_each_column(const Condition& condition, const Visit& visit) {
  if (condition.parts.empty()) visit(condition.column);
  for (const Condition& part : condition.parts) for_each_column(part, visit);
}

// Of a Condition, or of something made like it. `truth_of(condition)` tells of those without parts.
template <class Tree, class TruthOf>
Truth evaluate(const Tree& condition, const TruthOf& truth_of) {
  switch (condition.kind) {
    case Condition::Kind::all: {
      Truth least = Truth::yes;
      for (const Tree& part : condition.parts) {
        const Truth its = evaluate(part, truth_of);
        if (its < least) least = its;
        if (least == Truth::no) break;
      }
      return least;
    }
    case Condition::Kind::any: {
      Truth most = Truth::no;
      for (const Tree& part : condition.parts) {
        const Truth its = evaluate(part, truth_of);
        if (its > most) most = its;
        if (most == Truth::yes) break;
      }
      return most;
    }
    case Condition::Kind::negated: {
      const Truth its = evaluate(condition.parts.front(), truth_of);
      return its == Truth::yes ? Truth::no : its == Truth::no ? Truth::yes : Truth::unknown;
    }
    default:
      return truth_of(condition);
  }
}

class Predicate {
 public:
  // A column of the row, or the key.
  struct Column {
    std::string name;
    bool is_key = false;
    bool operator==(const Column&) const = default;
    auto operator<=>(const Column&) const = default;
  };
  // Between the bounds, both included unless they are open; there is one at least, and all that it holds is of its
  // sort.
  struct Interval {
    std::uint32_t column = 0;
    std::optional<Scalar> low, high;
    bool low_open = false, high_open = false;
  };

  // Nothing if the text is not of the language.
  static std::optional<Predicate> parse(const Atom& text);

  // Whether a row of this key can match: what else it asks of keys, matches() tells.
  bool allows_key(const Atom& key) const { return side_of(key) == 0; }
  // Whether the row matches.
  bool matches(const Atom& key, const Atom& value) const;

  // Where a key stands in the order of all keys (key_order.hpp): below 0 before those that can match, above 0
  // behind them, 0 among them. They follow each other, so an index finds them by bisection.
  int side_of(const Atom& key) const;

  const std::vector<Column>& columns() const { return columns_; }
  // All of these must be met by a row of a key that it allows.
  const std::vector<Condition>& conditions() const { return rest_; }
  // Among the keys that it allows, what matches: every row, or those of which one column lies in an interval, or
  // neither of these.
  bool every_row() const { return rest_.empty(); }
  std::optional<Interval> interval() const;

 private:
  friend class PredicateParser;
  void take(Condition condition);
  bool narrow_keys_by(const Condition& condition);

  std::optional<std::string> prefix_;
  std::optional<std::int64_t> low_key_, high_key_;  // both included; then keys are numbers
  std::vector<Condition> rest_;                     // what must be met besides
  std::vector<Column> columns_;
};

// What a column of a row holds.
Scalar held(const Predicate::Column& column, const Atom& key, const Atom& value);

}  // namespace assay
