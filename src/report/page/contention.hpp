// How hard a level was tried: transactions that never meet keep every level.
#pragma once

#include <cstdint>
#include <optional>

#include "history/history.hpp"

namespace assay::report {

struct Contention {
  std::uint32_t transactions = 0;  // committed ones with a start and an end
  // Of these: began while one of another session was running that used a key of theirs, one of the two writing it.
  // Of a query the rows that it returned count.
  std::uint32_t met = 0;
};

// nullopt where no committed transaction has both times. Takes the time of a sort.
std::optional<Contention> contention_of(const History& history);

}  // namespace assay::report
