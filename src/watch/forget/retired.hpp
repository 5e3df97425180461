// Names for the older part of a key. When a key gets an entry, its frozen writers that are still kept come
// before the entry and everything else after it, so nothing is left to be decided between the two parts: they
// become two keys, and the entry the initial version of the newer one. The older goes by a name that no input
// has.
#pragma once

#include <cassert>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

#include "watch/owned_atom.hpp"

namespace assay::watch {

// Texts of the input that begin like this are refused by Watcher::add as soon as they could be confused.
inline constexpr char kRetired = '\x1F';
inline bool is_ours(const Atom& atom) {
  return atom.kind == AtomKind::text && !atom.text.empty() && atom.text.front() == kRetired;
}

// Stands for the initial version of a key that has an entry, where a new transaction read it.
inline constexpr Atom kBeforeEntry = Atom::string("\x1F");

inline bool is_retired(const Atom& key) {
  return is_ours(key);
}

// `number` tells several retired parts of one key apart. REQUIRES: !is_retired(key).
inline OwnedAtom retired(const Atom& key, std::uint64_t number) {
  assert(!is_retired(key));
  OwnedAtom name;
  name.kind = AtomKind::text;
  name.text =
      kRetired + std::to_string(number) + kRetired + static_cast<char>('0' + static_cast<int>(key.kind));
  const bool is_number = key.kind == AtomKind::integer || key.kind == AtomKind::natural;
  name.text += is_number ? std::to_string(key.bits) : std::string(key.text);
  return name;
}

// The key that a name was made from; the key itself if it was not.
inline OwnedAtom original_key(const Atom& key) {
  OwnedAtom original(key);
  if (!is_retired(key)) return original;
  const std::string_view rest = key.text.substr(key.text.find(kRetired, 1) + 1);
  original.kind = static_cast<AtomKind>(rest.front() - '0');
  original.text.clear();
  if (original.kind == AtomKind::integer || original.kind == AtomKind::natural) {
    std::from_chars(rest.data() + 1, rest.data() + rest.size(), original.bits);
  } else {
    original.text = rest.substr(1);
  }
  return original;
}

}  // namespace assay::watch
