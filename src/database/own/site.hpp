// One copy of the data: for every key the versions that this site has applied, each with the position at
// which it did. A snapshot is a position; versions that no snapshot can need any more are dropped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace assay::database {

enum class RowState : std::uint8_t { never, live, erased };

// What a key holds. For an erased row `value` is the tombstone that the delete left.
struct Cell {
  RowState state = RowState::never;
  std::int64_t value = 0;
};

// Keys are numbered from 0 by the store; such a number is a slot. A slot holds a register or a list, never
// both.
struct Write {
  enum class Kind : std::uint8_t { put, erase, append } kind;
  std::uint32_t slot;
  std::int64_t value;
};

class Site {
 public:
  std::uint64_t applied() const { return applied_; }

  // Applies the writes at the next position. `order` is the commit's place in the order all sites agree on: a
  // register keeps the version with the highest, whichever comes last; list elements REQUIRE that it grows
  // from call to call.
  void apply(std::span<const Write> writes, std::uint64_t order);

  Cell visible(std::uint32_t slot, std::uint64_t at) const;
  void append_visible_list(std::uint32_t slot, std::uint64_t at, std::vector<std::int64_t>& elements) const;
  bool changed_since(std::uint32_t slot, std::uint64_t at) const {
    return slot < chains_.size() && !chains_[slot].versions.empty() &&
           chains_[slot].versions.back().position() > at;
  }
  std::uint64_t newest_order(std::uint32_t slot) const {
    return slot < chains_.size() ? chains_[slot].order : 0;
  }

  // From now on nobody reads at a position below this one.
  void forget_before(std::uint64_t position) { horizon_ = position; }

 private:
  struct Version {
    std::uint64_t position_and_state;
    std::int64_t value;
    std::uint64_t position() const { return position_and_state >> 2; }
    RowState state() const { return static_cast<RowState>(position_and_state & 3); }
  };
  struct Chain {
    std::vector<Version> versions;  // oldest first
    std::uint64_t order = 0;        // of the newest
  };

  void drop_unreadable(std::vector<Version>& versions) const;

  std::vector<Chain> chains_;  // by slot
  std::uint64_t applied_ = 0;
  std::uint64_t horizon_ = 0;
};

}  // namespace assay::database
