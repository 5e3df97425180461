// How much of what the queries of committed transactions say is understood.
#pragma once

#include <cstdint>

#include "history/history.hpp"

namespace assay {

struct QueryCounts {
  std::uint64_t all = 0;
  std::uint64_t evaluated = 0;       // ranges, and predicates of the language
  std::uint64_t learned = 0;         // predicates that are known by their identity
  std::uint64_t rows = 0;            // reads of rows, which say no more than their rows
  std::uint64_t not_understood = 0;  // of these only the rows are evidence
};
QueryCounts count_queries(const History& history);

}  // namespace assay
