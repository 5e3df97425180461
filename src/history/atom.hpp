// Atoms: keys, values and ids as the input wrote them. A history computes with dense ids and keeps the atoms
// only so that reports speak the input's language and so that a history can be written out again without
// loss.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

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
  std::string_view operator[](std::uint32_t id) const {
    return std::string_view(bytes_).substr(ends_[id], ends_[id + 1] - ends_[id]);
  }
  std::uint32_t size() const { return static_cast<std::uint32_t>(ends_.size() - 1); }
  std::size_t resident_bytes() const { return bytes_.capacity() + ends_.capacity() * sizeof(ends_[0]); }
  // Frees what only interning needs.
  void seal() {
    ids_ = {};
    bytes_.shrink_to_fit();
    ends_.shrink_to_fit();
  }

 private:
  std::string bytes_;
  std::vector<std::uint64_t> ends_{0};
  std::unordered_multimap<std::uint64_t, std::uint32_t> ids_;  // hash of the text -> id
};

// A column of atoms: eight bytes each, plus one for the kind only if some atom is not an integer.
class AtomColumn {
 public:
  // `bits` is the number, or the id in the text pool for text kinds.
  void push_back(AtomKind kind, std::uint64_t bits) {
    if (kind != AtomKind::integer && kinds_.empty()) kinds_.resize(bits_.size(), AtomKind::integer);
    bits_.push_back(bits);
    if (!kinds_.empty() || kind != AtomKind::integer) kinds_.push_back(kind);
  }
  void resize(std::size_t n) {
    bits_.resize(n);
    if (!kinds_.empty()) kinds_.resize(n, AtomKind::integer);
  }
  void set(std::size_t i, AtomKind kind, std::uint64_t bits) {
    if (kind != AtomKind::integer && kinds_.empty()) kinds_.resize(bits_.size(), AtomKind::integer);
    bits_[i] = bits;
    if (!kinds_.empty()) kinds_[i] = kind;
  }
  void reserve(std::size_t n) { bits_.reserve(n); }
  std::size_t size() const { return bits_.size(); }
  AtomKind kind(std::size_t i) const { return kinds_.empty() ? AtomKind::integer : kinds_[i]; }
  std::uint64_t bits(std::size_t i) const { return bits_[i]; }
  bool all_integers() const { return kinds_.empty(); }
  Atom get(std::size_t i, const TextPool& texts) const {
    const AtomKind k = kind(i);
    if (k == AtomKind::text || k == AtomKind::json)
      return {k, 0, texts[static_cast<std::uint32_t>(bits_[i])]};
    return {k, bits_[i], {}};
  }
  std::size_t resident_bytes() const { return bits_.capacity() * sizeof(bits_[0]) + kinds_.capacity(); }
  void shrink_to_fit() {
    bits_.shrink_to_fit();
    kinds_.shrink_to_fit();
  }

 private:
  std::vector<std::uint64_t> bits_;
  std::vector<AtomKind> kinds_;  // empty while every atom is an integer
};

}  // namespace assay
