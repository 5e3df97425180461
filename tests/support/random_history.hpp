// Random histories that use every kind of operation, atom, status and time: for round trips, not for checking
// (nobody promises that a read here has a writer).
#pragma once

#include <cstdint>

#include "history/history.hpp"

namespace assay::testing {

// What the histories may contain.
enum class Vocabulary : std::uint8_t {
  everything,
  registers,  // reads and writes of natural numbers in committed and aborted transactions
};

History random_history(std::uint64_t seed, Vocabulary vocabulary);

}  // namespace assay::testing
