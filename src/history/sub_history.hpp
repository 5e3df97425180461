// A history of some of another's transactions. Reads whose writer is left out are left out too, and of lists
// the elements that others appended; both only remove constraints (at prefix and above), so if the part
// violates a level, so does the whole.
#pragma once

#include <span>
#include <vector>

#include "history/history.hpp"

namespace assay {

struct SubHistory {
  History history;
  std::vector<Txn> transactions;  // of the part -> of the whole
  std::vector<Key> keys;          // of the part -> of the whole
};

// REQUIRES: `transactions` is sorted and has no repetitions.
SubHistory sub_history(const History& whole, std::span<const Txn> transactions);

}  // namespace assay
