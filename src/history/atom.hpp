// Atoms: keys, values and ids as the input wrote them. A history computes with dense ids and keeps the atoms
// only so that reports speak the input's language and so that a history can be written out again without
// loss.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "memory/huge_pages.hpp"
#include "memory/keyed_hash.hpp"
#include "memory/prefetch.hpp"

namespace assay {

enum class AtomKind : std::uint8_t {
  integer,  // a signed 64-bit number
  natural,  // an unsigned 64-bit number above the signed range
  text,     // a string
  json,     // any other JSON value, kept as its text (1.5, true, {"a":1})
};
inline constexpr std::size_t kAtomKinds = 4;

// One atom by value. `text` is borrowed: it must outlive the call that is given the atom.
struct Atom {
  AtomKind kind = AtomKind::integer;
  std::uint64_t bits = 0;  // the number, for the two number kinds
  std::string_view text;   // for the two text kinds

  static constexpr Atom integer(std::int64_t value) {
    return {AtomKind::integer, static_cast<std::uint64_t>(value), {}};
  }
  // One number has one atom: a natural that fits the signed range is an integer.
  static constexpr Atom natural(std::uint64_t value) {
    return {value > INT64_MAX ? AtomKind::natural : AtomKind::integer, value, {}};
  }
  static constexpr Atom string(std::string_view value) { return {AtomKind::text, 0, value}; }
  static constexpr Atom json(std::string_view value) { return {AtomKind::json, 0, value}; }

  constexpr bool operator==(const Atom&) const = default;
};

// The atom as a person reads it: numbers in decimal, strings bare.
std::string to_string(const Atom& atom);
// The atom as JSON: strings quoted and escaped.
std::string to_json(const Atom& atom);

// All texts of a history, each stored once.
class TextPool {
 public:
  // A sealed pool of texts that are already distinct: text i is bytes[ends[i], ends[i + 1]).
  // REQUIRES: ends starts with 0, never falls, and ends with bytes.size().
  static TextPool sealed(std::string bytes, std::vector<std::uint64_t> ends) {
    TextPool pool;
    pool.bytes_ = std::move(bytes);
    pool.ends_ = std::move(ends);
    return pool;
  }

  std::uint32_t intern(std::string_view text);
  // Says that the text will be interned soon.
  void prefetch(std::string_view text) const {
    if (!table_.empty()) assay::prefetch(&table_[place(hash_(text))]);
  }
  std::string_view operator[](std::uint32_t id) const {
    return std::string_view(bytes_).substr(ends_[id], ends_[id + 1] - ends_[id]);
  }
  std::uint32_t size() const { return static_cast<std::uint32_t>(ends_.size() - 1); }
  std::size_t resident_bytes() const { return bytes_.capacity() + ends_.capacity() * sizeof(ends_[0]); }
  // Frees what only interning needs.
  void seal() {
    table_ = {};
    used_ = 0;
    bytes_.shrink_to_fit();
    ends_.shrink_to_fit();
  }

 private:
  std::string bytes_;
  std::vector<std::uint64_t> ends_{0};

  // From texts to ids: a flat table, probed from the place that the upper bits of the hash name to the next
  // free one. It is made at the first text that is interned.
  struct Entry {
    std::uint64_t hash;
    std::uint32_t id_plus_one;  // 0: free
  };
  static constexpr std::size_t kMinimum = 64;
  std::size_t place(std::uint64_t hash) const { return hash >> (64 - std::countr_zero(table_.size())); }
  void grow();
  KeyedHash hash_;
  LargeVector<Entry> table_;
  std::size_t used_ = 0;
};

// A column of atoms: four bytes each while all fit, else eight; plus one for the kind only if some atom is
// not an integer.
class AtomColumn {
 public:
  // `bits` is the number, or the id in the text pool for text kinds.
  void push_back(AtomKind kind, std::uint64_t bits) {
    if (kind != AtomKind::integer && kinds_.empty()) kinds_.resize(size(), AtomKind::integer);
    if (!kinds_.empty() || kind != AtomKind::integer) kinds_.push_back(kind);
    if (!is_wide_ && bits > kNarrow) widen();
    if (is_wide_) {
      wide_.push_back(bits);
    } else {
      narrow_.push_back(static_cast<std::uint32_t>(bits));
    }
  }
  void resize(std::size_t n) {
    if (is_wide_) {
      wide_.resize(n);
    } else {
      narrow_.resize(n);
    }
    if (!kinds_.empty()) kinds_.resize(n, AtomKind::integer);
  }
  void set(std::size_t i, AtomKind kind, std::uint64_t bits) {
    if (kind != AtomKind::integer && kinds_.empty()) kinds_.resize(size(), AtomKind::integer);
    if (!kinds_.empty()) kinds_[i] = kind;
    if (!is_wide_ && bits > kNarrow) widen();
    if (is_wide_) {
      wide_[i] = bits;
    } else {
      narrow_[i] = static_cast<std::uint32_t>(bits);
    }
  }
  void reserve(std::size_t n) {
    if (is_wide_) {
      wide_.reserve(n);
    } else {
      narrow_.reserve(n);
    }
  }
  std::size_t size() const { return is_wide_ ? wide_.size() : narrow_.size(); }
  AtomKind kind(std::size_t i) const { return kinds_.empty() ? AtomKind::integer : kinds_[i]; }
  std::uint64_t bits(std::size_t i) const { return is_wide_ ? wide_[i] : narrow_[i]; }
  bool all_integers() const { return kinds_.empty(); }
  Atom get(std::size_t i, const TextPool& texts) const {
    const AtomKind k = kind(i);
    if (k == AtomKind::text || k == AtomKind::json) return {k, 0, texts[static_cast<std::uint32_t>(bits(i))]};
    return {k, bits(i), {}};
  }
  std::size_t resident_bytes() const {
    return narrow_.capacity() * sizeof(narrow_[0]) + wide_.capacity() * sizeof(wide_[0]) + kinds_.capacity();
  }
  void shrink_to_fit() {
    narrow_.shrink_to_fit();
    wide_.shrink_to_fit();
    kinds_.shrink_to_fit();
  }

 private:
  static constexpr std::uint64_t kNarrow = 0xFFFFFFFFU;

  void widen() {
    wide_.reserve(narrow_.capacity());
    wide_.assign(narrow_.begin(), narrow_.end());
    narrow_ = {};
    is_wide_ = true;
  }

  bool is_wide_ = false;
  std::vector<std::uint32_t> narrow_;  // empty if is_wide_
  std::vector<std::uint64_t> wide_;    // empty unless is_wide_
  std::vector<AtomKind> kinds_;        // empty while every atom is an integer
};

}  // namespace assay
