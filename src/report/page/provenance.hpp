// Where a recording comes from, as its first note tells it: for the head of the page. A note is the word of whoever
// made the file; nothing is decided by it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "history/history.hpp"

namespace assay::report {

struct Provenance {
  std::string store;      // "PostgreSQL 15.5"
  std::string isolation;  // in the product's words: "REPEATABLE READ"
  std::string workload, sessions, seed, begun;
  std::vector<std::string> faults;  // what befell the server, each with its time
};

// nullopt where no note is that of a recording.
std::optional<Provenance> provenance_of(const History& history);

}  // namespace assay::report
