// What a column of a row holds, as predicates compare it, and how it is found in a value. Numbers are exact
// decimals of any length; texts are bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "history/atom.hpp"

namespace assay {

class Scalar {
 public:
  // Two compare only if they are of one sort, and neither is null nor other.
  enum class Sort : std::uint8_t { boolean, number, text, other, null };

  Scalar() = default;
  static Scalar boolean(bool value);
  static Scalar integer(std::int64_t value);
  static Scalar text(std::string value);
  static Scalar other();  // an array, an object, a number with an exponent beyond nine digits
  // A decimal number, as in JSON or SQL: -12.50, 3e2. Nothing if the text is none.
  static std::optional<Scalar> number(std::string_view text);

  Sort sort() const { return sort_; }
  bool is_null() const { return sort_ == Sort::null; }
  bool comparable() const { return sort_ != Sort::null && sort_ != Sort::other; }
  // Of a number; nothing if it is no integer of 64 bits.
  std::optional<std::int64_t> whole() const;
  const std::string& bytes() const { return digits_; }  // of a text

  // Below 0, 0 or above 0. All scalars stand in one order, sort by sort; 0 iff they are the same.
  int compare(const Scalar& other) const;
  bool operator<(const Scalar& other) const { return compare(other) < 0; }
  bool operator==(const Scalar& other) const { return compare(other) == 0; }

 private:
  Sort sort_ = Sort::null;
  bool small_ = false;      // a number that is whole_; else 0.DIGITS times ten to the exponent_
  bool negative_ = false;   // of a number that is not small
  std::int64_t whole_ = 0;  // of a small number; of a boolean 0 or 1
  std::int64_t exponent_ = 0;
  std::string digits_;  // without zeros at either end; of a text its bytes
};

// The number that a value shows: an integer, or a text that is a decimal number, alone or before an "@" (the
// recorder writes VALUE@VERSION).
std::optional<std::int64_t> shown_number(const Atom& value);

// The key of a row as a scalar.
Scalar scalar_of_key(const Atom& key);
// What a column of a row holds. A value that is a JSON object has a column for each member (the first of that name);
// any other has one column, "value", the number that it shows or what it is. A column that is not there is null.
Scalar column_of(const Atom& value, std::string_view column);

}  // namespace assay
