// The predicates that Assay understands: a tiny language of conditions on the key and the value of a row,
// joined by "and" (docs/formats.md). What it does not understand it does not guess.
//
//   row:* between 10 and 19       the key is a text that starts with "row:", the value a number from 10 to 19
//   value >= 10 and value < 20    the value is a number for which that is so; = < <= > >=
//   key > 5 and value = 3         and so of the key
//
// Of a predicate that was learned only its identity is known, and which rows it returned.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "history/atom.hpp"

namespace assay {

// The number that a value shows: an integer, or a text that is a decimal number, alone or before an "@" (the
// recorder writes VALUE@VERSION).
std::optional<std::int64_t> shown_number(const Atom& value);

// Whether a predicate is known only by its identity: a JSON object whose first member is "is", say
// {"is":"9f3c...","table":"doctors"}. Two are one predicate iff they are written alike.
bool is_learned(const Atom& predicate);

class Predicate {
 public:
  // Nothing if the text is not of the language.
  static std::optional<Predicate> parse(const Atom& text);

  // Whether a row of this key can match.
  bool allows_key(const Atom& key) const;
  // REQUIRES: allows_key of its key.
  bool allows_value(const Atom& value) const;

  // Where a key stands in the order of all keys (key_order.hpp): below 0 before those that can match, above 0
  // behind them, 0 among them. They follow each other, so an index finds them by bisection.
  int side_of(const Atom& key) const;
  // The numbers that the value must be from and to, both included; none match where the first is above the
  // second. Nothing if any value will do.
  struct Numbers {
    std::int64_t low, high;
  };
  std::optional<Numbers> numbers() const;

 private:
  struct Bounds {
    std::int64_t low = INT64_MIN, high = INT64_MAX;
    bool empty = false;
    bool asked = false;
    bool admit(const std::optional<std::int64_t>& number) const {
      return !asked || (number && !empty && low <= *number && *number <= high);
    }
  };
  bool condition(std::string_view text);

  std::string prefix_;
  bool has_prefix_ = false;
  Bounds key_, value_;
};

}  // namespace assay
