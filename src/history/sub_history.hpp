// A history of some of another's transactions. A read is left out if a transaction that can have answered it
// is left out, and of lists the elements that others appended; both only remove constraints, so if the part
// violates a level, so does the whole. Reads of predicates are left out always.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "history/history.hpp"

namespace assay {

struct SubHistory {
  History history;
  std::vector<Txn> transactions;  // of the part -> of the whole
  std::vector<Key> keys;          // of the part -> of the whole
  std::vector<Op> operations;     // of the part -> of the whole
};

// What remains of a list read.
enum class ListPart : std::uint8_t {
  // The elements that members appended: what a snapshot shows of them. For prefix and stronger levels.
  of_members,
  // The same, but nothing if the transaction that the weaker levels take as the one that was read (who
  // appended the last element that is not the reader's own) is no member.
  if_source_is_member,
};

// What remains of writes of keys that no member reads and only one of them writes. They say nothing at any
// level: every promise is about what was read, or about two that write one key. Who loads a table has thousands.
enum class PrivateWrites : std::uint8_t { stay, are_left_out };

// REQUIRES: `transactions` is sorted and has no repetitions.
SubHistory sub_history(const History& whole, std::span<const Txn> transactions,
                       ListPart lists = ListPart::of_members,
                       PrivateWrites private_writes = PrivateWrites::stay);

}  // namespace assay
