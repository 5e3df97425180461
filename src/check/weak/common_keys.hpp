// Which of the keys that one transaction reads does another one write? Answered by going through the smaller
// of the two sets, which keeps the sum over all pairs of reader and writer at n^1.5 for n operations (the
// argument of AWDIT, Møldrup and Pavlogiannis 2025).
#pragma once

#include <cassert>
#include <cstdint>
#include <utility>
#include <vector>

#include "check/weak/attributed.hpp"
#include "memory/prefetch.hpp"

namespace assay::check {

class CommonKeys {
 public:
  explicit CommonKeys(const AttributedHistory& history)
      : h_(history), loaded_(history.keys(), kNobody), slot_(history.keys()) {}

  // Makes t the reader. Its distinct keys are numbered from 0 in the order of their first reads.
  void load(Txn t) {
    reader_ = t;
    blocks_.clear();
    keys_.clear();
    for (std::uint32_t read = h_.first_read(t); read < h_.last_read(t); ++read) {
      const Key key = h_.key(read);
      if (loaded_[index(key)] == t) continue;
      loaded_[index(key)] = t;
      slot_[index(key)] = static_cast<std::uint32_t>(keys_.size());
      keys_.push_back(key);
      const IdRange<Write> block = h_.reads().writes_of(key);
      blocks_.push_back({index(block[0]), block.size()});
    }
  }

  // What the visits soon after the i-th of the causal order will touch at random: first the reads, some
  // visits later where the writes of their sources begin, then those writes.
  void prefetch_after(std::size_t i) const {
    constexpr std::size_t kReads = 18, kFar = 12, kNear = 5;
    const std::vector<Txn>& order = h_.causal_order();
    const auto for_each_source = [&](std::size_t at, const auto& visit) {
      if (at >= order.size()) return;
      const Txn reader = order[at];
      for (std::uint32_t read = h_.first_read(reader); read < h_.last_read(reader); ++read) {
        if (h_.source(read) != kNobody) visit(h_.source(read));
      }
    };
    if (i + kReads < order.size()) h_.prefetch_reads(order[i + kReads]);
    for_each_source(i + kFar, [&](Txn source) { h_.reads().prefetch_where_writes_begin(source); });
    for_each_source(i + kNear, [&](Txn source) { prefetch(h_.writes_of(source).data()); });
  }

  std::uint32_t size() const { return static_cast<std::uint32_t>(keys_.size()); }
  Key key(std::uint32_t slot) const { return keys_[slot]; }
  // REQUIRES: the reader reads the key.
  std::uint32_t slot_of(Key key) const {
    assert(loaded_[index(key)] == reader_);
    return slot_[index(key)];
  }

  // Calls visit(slot) for each key of the reader that `writer` writes.
  template <class Visit>
  void for_each_written_by(Txn writer, const Visit& visit) const {
    const std::span<const Write> writes = h_.writes_of(writer);
    // Writes are numbered key by key, so whether a write is one of a key needs no look-up.
    if (writes.size() * blocks_.size() <= kFew) {
      for (const Write w : writes) {
        for (std::uint32_t slot = 0; slot < blocks_.size(); ++slot) {
          if (index(w) - blocks_[slot].begin < blocks_[slot].size) visit(slot);
        }
      }
    } else if (writes.size() <= blocks_.size()) {
      for (const Write w : writes) {
        const Key key = h_.reads().key(w);
        if (loaded_[index(key)] == reader_) visit(slot_[index(key)]);
      }
    } else {
      for (std::uint32_t slot = 0; slot < keys_.size(); ++slot) {
        if (h_.writes_key(writer, keys_[slot])) visit(slot);
      }
    }
  }

 private:
  static constexpr std::size_t kFew = 64;
  struct Block {
    std::uint32_t begin, size;
  };

  const AttributedHistory& h_;
  Txn reader_ = kNobody;
  std::vector<Txn> loaded_;          // per key: the last reader that reads it
  std::vector<std::uint32_t> slot_;  // per key
  std::vector<Key> keys_;
  std::vector<Block> blocks_;
};

// Whether a read is the first of its transaction from its source. Transactions are asked about one after the
// other, each read in order.
class FirstFromSource {
 public:
  explicit FirstFromSource(const AttributedHistory& history) : h_(history) {}

  bool operator()(Txn t, std::uint32_t read) {
    const Txn source = h_.source(read);
    const std::uint32_t first = h_.first_read(t);
    // The reads before are at hand; a table of all transactions is not.
    if (h_.last_read(t) - first <= kFew) {
      for (std::uint32_t earlier = first; earlier < read; ++earlier) {
        if (h_.source(earlier) == source) return false;
      }
      return true;
    }
    if (read_from_by_.empty()) read_from_by_.assign(h_.transactions(), kNobody);
    return std::exchange(read_from_by_[index(source)], t) != t;
  }

 private:
  static constexpr std::uint32_t kFew = 32;

  const AttributedHistory& h_;
  std::vector<Txn> read_from_by_;  // per transaction
};

}  // namespace assay::check
