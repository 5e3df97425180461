// How keys compare where a range of them is asked for: numbers by value, texts byte by byte. Numbers, texts
// and other JSON values do not compare with each other: a bound says nothing of keys of another sort.
#pragma once

#include <cstdint>
#include <optional>

#include "history/atom.hpp"

namespace assay {

// Whether both are numbers, both texts, or both other JSON values.
constexpr bool comparable(const Atom& a, const Atom& b) {
  const auto is_number = [](AtomKind k) { return k == AtomKind::integer || k == AtomKind::natural; };
  return a.kind == b.kind || (is_number(a.kind) && is_number(b.kind));
}

// REQUIRES: comparable(a, b).
constexpr bool key_less(const Atom& a, const Atom& b) {
  if (a.kind == AtomKind::text || a.kind == AtomKind::json) return a.text < b.text;
  if (a.kind != b.kind) return a.kind == AtomKind::integer;  // a natural is above the signed range
  if (a.kind == AtomKind::natural) return a.bits < b.bits;
  return static_cast<std::int64_t>(a.bits) < static_cast<std::int64_t>(b.bits);
}

// All keys in one order, in which the keys of every range and of every predicate follow each other: numbers,
// then texts, then other JSON values.
enum class KeySort : std::uint8_t { number, text, json };
constexpr KeySort sort_of_key(const Atom& key) {
  return key.kind == AtomKind::text   ? KeySort::text
         : key.kind == AtomKind::json ? KeySort::json
                                      : KeySort::number;
}
constexpr bool key_before(const Atom& a, const Atom& b) {
  return comparable(a, b) ? key_less(a, b) : sort_of_key(a) < sort_of_key(b);
}

// Whether a range read between these bounds, both included and absent ones open, asks for the key.
constexpr bool in_range(const Atom& key, const std::optional<Atom>& low, const std::optional<Atom>& high) {
  if (low && (!comparable(key, *low) || key_less(key, *low))) return false;
  return !high || (comparable(key, *high) && !key_less(*high, key));
}

}  // namespace assay
