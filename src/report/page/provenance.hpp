// Where a recording comes from, as its first note tells it: for the head of the page. A note is the word of whoever
// made the file; nothing is decided by it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "history/history.hpp"

namespace assay::report {

// What befell the server, and when, in seconds since the recording began.
struct ToldFault {
  std::string text;  // "1.00 s to 2.00 s after the start: the server was killed"
  double from = 0, to = 0;
};

struct Provenance {
  std::string store;      // "PostgreSQL 15.5"
  std::string isolation;  // in the product's words: "REPEATABLE READ"
  std::string workload, sessions, seed, begun;
  std::vector<ToldFault> faults;
};

// nullopt where no note is that of a recording.
std::optional<Provenance> provenance_of(const History& history);

}  // namespace assay::report
