// An atom that owns its text, for what outlives the history it came in; and its hash, so that it can be found
// by an atom that does not.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "history/atom.hpp"
#include "memory/keyed_hash.hpp"

namespace assay::watch {

struct OwnedAtom {
  AtomKind kind = AtomKind::integer;
  std::uint64_t bits = 0;
  std::string text;

  OwnedAtom() = default;
  explicit OwnedAtom(const Atom& atom) : kind(atom.kind), bits(atom.bits), text(atom.text) {}
  Atom view() const { return {kind, bits, text}; }
  auto operator<=>(const OwnedAtom&) const = default;
};

struct AtomHash {
  using is_transparent = void;
  std::size_t operator()(const Atom& atom) const {
    const std::uint64_t text = atom.text.empty() ? 0 : hash_(atom.text);
    return hash_(static_cast<std::uint32_t>(atom.kind), atom.bits ^ text);
  }
  std::size_t operator()(const OwnedAtom& atom) const { return (*this)(atom.view()); }

 private:
  KeyedHash hash_;
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
