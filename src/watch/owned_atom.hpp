// An atom that owns its text, for what outlives the history it came in; and its hash, so that it can be found
// by an atom that does not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "history/atom.hpp"

namespace assay::watch {

struct OwnedAtom {
  AtomKind kind = AtomKind::integer;
  std::uint64_t bits = 0;
  std::string text;

  OwnedAtom() = default;
  explicit OwnedAtom(const Atom& atom) : kind(atom.kind), bits(atom.bits), text(atom.text) {}
  Atom view() const { return {kind, bits, text}; }
};

struct AtomHash {
  using is_transparent = void;
  std::size_t operator()(const Atom& atom) const {
    const std::uint64_t word = (atom.bits + static_cast<std::uint64_t>(atom.kind)) * 0x9E3779B97F4A7C15ULL;
    return static_cast<std::size_t>(word ^ (word >> 29)) ^
           (atom.text.empty() ? 0 : std::hash<std::string_view>{}(atom.text));
  }
  std::size_t operator()(const OwnedAtom& atom) const { return (*this)(atom.view()); }
};

struct AtomEqual {
  using is_transparent = void;
  static const Atom& view(const Atom& atom) { return atom; }
  static Atom view(const OwnedAtom& atom) { return atom.view(); }
  template <class A, class B>
  bool operator()(const A& a, const B& b) const {
    return view(a) == view(b);
  }
};

}  // namespace assay::watch
