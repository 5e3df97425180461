// Random histories for round trips, with as much in them as a format can express, and the whole of a history
// as text, so that two can be compared and a difference be read.
#pragma once

#include <cstdint>
#include <string>

#include "history/history.hpp"

namespace assay::testing {

struct RandomHistory {
  bool texts = false;    // names, keys and values of every kind, not only naturals
  bool lists = false;    // appends, list reads, deletes, inserts, predicate and range reads
  bool times = false;    // some of them, in no order
  bool in_turn = false;  // each transaction ends before the next one starts, and has both times
  bool aborted = false;
  bool unknown = false;
  bool initial_reads = true;
  bool repeated_values = false;  // several writes of one value
  bool empty_transactions = false;
  bool notes = false;
  bool large_numbers = true;  // up to 2^64
};

// Everything that the model can hold.
inline constexpr RandomHistory kEverything{.texts = true,
                                           .lists = true,
                                           .times = true,
                                           .aborted = true,
                                           .unknown = true,
                                           .repeated_values = true,
                                           .empty_transactions = true,
                                           .notes = true};

History random_history(std::uint64_t seed, const RandomHistory& options);

std::string listing(const History& history);

// Walks everything that can be reached in a history and returns what breaks a promise of history.hpp; "" if
// nothing.
std::string broken_promise(const History& history);

}  // namespace assay::testing
