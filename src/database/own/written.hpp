// What an open transaction has written so far: the writes that will take effect, and the last one of each
// key, found in constant time however long the transaction is. Kept from transaction to transaction so that
// clearing costs nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "database/own/site.hpp"

namespace assay::database {

class WrittenKeys {
 public:
  WrittenKeys() : table_(kMinimum) {}

  std::span<const Write> writes() const { return writes_; }
  bool empty() const { return writes_.empty(); }

  // The last write of the slot, or nullptr.
  const Write* last(std::uint32_t slot) const {
    const Entry& entry = table_[find(slot)];
    return entry.epoch == epoch_ ? &writes_[entry.write] : nullptr;
  }

  // A write of a register replaces the one before it; an append is added.
  void add(const Write& write) {
    Entry& entry = table_[find(write.slot)];
    const bool known = entry.epoch == epoch_;
    if (known && write.kind != Write::Kind::append) {
      writes_[entry.write] = write;
      return;
    }
    const std::uint32_t previous = known ? entry.write : kNone;
    entry = {write.slot, static_cast<std::uint32_t>(writes_.size()), epoch_};
    writes_.push_back(write);
    previous_.push_back(previous);
    if (writes_.size() * 2 > table_.size()) grow();
  }

  // Adds what the transaction itself appended to the list, in order.
  void append_own_elements(std::uint32_t slot, std::vector<std::int64_t>& elements) const {
    const Entry& entry = table_[find(slot)];
    if (entry.epoch != epoch_) return;
    const std::size_t first = elements.size();
    for (std::uint32_t w = entry.write; w != kNone; w = previous_[w]) elements.push_back(writes_[w].value);
    for (std::size_t i = first, j = elements.size() - 1; i < j; ++i, --j) std::swap(elements[i], elements[j]);
  }

  void clear() {
    writes_.clear();
    previous_.clear();
    ++epoch_;
  }

 private:
  struct Entry {
    std::uint32_t slot = 0;
    std::uint32_t write = 0;
    std::uint64_t epoch = 0;  // free unless it is the current one
  };
  static constexpr std::size_t kMinimum = 32;
  static constexpr std::uint32_t kNone = 0xFFFFFFFFU;

  std::size_t find(std::uint32_t slot) const {
    const std::size_t mask = table_.size() - 1;
    std::size_t at = static_cast<std::size_t>(slot * 0x9E3779B97F4A7C15ULL >> 32) & mask;
    while (table_[at].epoch == epoch_ && table_[at].slot != slot) at = (at + 1) & mask;
    return at;
  }

  void grow() {
    std::vector<Entry> old(table_.size() * 2);
    old.swap(table_);
    for (const Entry& entry : old) {
      if (entry.epoch == epoch_) table_[find(entry.slot)] = entry;
    }
  }

  std::vector<Write> writes_;
  std::vector<std::uint32_t> previous_;  // of the same slot, by write
  std::vector<Entry> table_;
  std::uint64_t epoch_ = 1;
};

}  // namespace assay::database
