// Random predicates with columns, told as text and evaluated apart from the program's own way: each comes with
// a function that says, by SQL's rules, whether a row matches. Rows are made of their numbers, so that tiny histories can
// be drawn with numbers for values.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "support/random/random_history.hpp"

namespace assay {

// What is null is nothing.
struct DrawnRow {
  std::optional<std::int64_t> key;     // nothing: it is a text
  std::optional<std::int64_t> a;       // an integer
  std::optional<std::string> b;        // a text
  std::optional<bool> c;               // a truth value
  std::optional<std::int64_t> halves;  // column d is half of it
};
DrawnRow drawn_row(std::optional<std::int64_t> key, std::int64_t number);
// The value of that row as JSON, different for every number.
std::string drawn_value(std::int64_t number);

struct DrawnPredicate {
  std::string text;
  std::function<std::optional<bool>(const DrawnRow&)> truth;  // nothing: unknown
};
DrawnPredicate random_predicate(Rng& rng, int depth = 2);

}  // namespace assay
