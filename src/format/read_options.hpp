// How a history is to be read where its format leaves something open. All that one reader of a format needs to know of the others.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "history/history.hpp"
#include "system/input.hpp"

namespace assay::format {

// How an input shows the state before its first transaction, where the format leaves it open.
enum class Initial : std::uint8_t {
  automatic,          // what the format's own description says
  zero,               // reading 0 is reading the initial state
  first_transaction,  // the first transaction of the input wrote it
  none,               // there is no initial state: every value read must have been written
};

// What a failed statement inside a transaction that reports success says about the transaction.
enum class FailedStatements : std::uint8_t {
  drop,     // the statement did not happen, the rest did
  unknown,  // the fate of the whole transaction is unknown: it counts only if somebody read from it
};

struct ReadOptions {
  Initial initial = Initial::automatic;
  FailedStatements failed_statements = FailedStatements::unknown;
  // Of a recording that was cut off, take the part that is whole instead of refusing it; a note says what is
  // missing.
  bool accept_truncated = false;
};

// What a reader is given.
using system::Input;
using system::InputFile;

}  // namespace assay::format
