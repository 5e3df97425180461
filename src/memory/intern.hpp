// Interning of (scope, 64-bit word) pairs into dense ids: keys in scope 0, values in the scope of their key.
// One flat table; entries are 16 bytes, and probing goes round the four of a cache line before it goes on to
// the next, so a look-up is mostly one cache miss, which prefetch() can hide.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "memory/huge_pages.hpp"
#include "memory/keyed_hash.hpp"
#include "memory/prefetch.hpp"

namespace assay {

class InternTable {
 public:
  InternTable() : entries_(kMinimum) {}

  void prefetch(std::uint32_t scope, std::uint64_t word) const {
    assay::prefetch(&entries_[place(scope, word)]);
  }

  // The id of the pair, or `fresh` if the pair was not there; then it is now, with that id.
  std::uint32_t find_or_add(std::uint32_t scope, std::uint64_t word, std::uint32_t fresh) {
    if (used_ * 32 >= entries_.size() * 21) grow();
    const std::size_t start = place(scope, word);
    for (std::size_t step = 0;; ++step) {
      Entry& entry = entries_[slot(start, step)];
      if (entry.id_plus_one == 0) {
        entry = {word, scope, fresh + 1};
        ++used_;
        return fresh;
      }
      if (entry.word == word && entry.scope == scope) return entry.id_plus_one - 1;
    }
  }

  std::size_t size() const { return used_; }

 private:
  struct Entry {
    std::uint64_t word;
    std::uint32_t scope;
    std::uint32_t id_plus_one;  // 0: free. Ids stay below 2^32 - 1.
  };
  static constexpr std::size_t kMinimum = 64;

  // The place is the hash's upper bits, so that a larger table has the entries in about the same order and
  // growing goes through both from front to back.
  std::size_t place(std::uint32_t scope, std::uint64_t word) const {
    return static_cast<std::size_t>(hash_(scope, word) >> shift_);
  }

  // The place to look at after `step` others.
  std::size_t slot(std::size_t start, std::size_t step) const {
    const std::size_t line = (start & ~std::size_t{3}) + (step & ~std::size_t{3});
    return (line | ((start + step) & 3)) & (entries_.size() - 1);
  }

  // What was moved is given back at once: both tables in full would be the most memory that reading ever
  // takes.
  void grow() {
    constexpr std::size_t kForgetAfter = 1U << 17;
    ZeroedArray<Entry> old(entries_.size() * 2);
    std::swap(old, entries_);
    --shift_;
    for (std::size_t i = 0; i < old.size(); ++i) {
      if (i % kForgetAfter == 0) old.forget_before(i);
      const Entry entry = old[i];
      if (entry.id_plus_one == 0) continue;
      const std::size_t start = place(entry.scope, entry.word);
      std::size_t step = 0;
      while (entries_[slot(start, step)].id_plus_one != 0) ++step;
      entries_[slot(start, step)] = entry;
    }
  }

  ZeroedArray<Entry> entries_;
  KeyedHash hash_;
  std::size_t used_ = 0;
  int shift_ = 64 - std::countr_zero(kMinimum);
};

}  // namespace assay
