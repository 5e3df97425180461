// What a history consists of, in numbers: how much work it recorded, how contended it was, and what in it
// makes a verdict hard or weak (unknown fates, repeated values).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "history/history.hpp"

namespace assay::report {

struct HotKey {
  Key key;
  std::uint64_t operations;
  double share;  // of all operations that name a key
};

// How many transactions ran at the same time, from those that have both a start and an end.
struct Concurrency {
  std::uint32_t transactions = 0;
  std::uint64_t span_nanoseconds = 0;  // from the first start to the last end
  double mean = 0;                     // running at a moment of the span, on average
  std::uint32_t most = 0;              // running at the same moment
};

struct Statistics {
  std::uint32_t sessions = 0;
  std::uint32_t longest_session = 0;
  std::uint32_t transactions = 0;
  std::uint32_t committed = 0, aborted = 0, unknown = 0;
  std::uint32_t operations = 0;
  std::uint32_t most_operations = 0;  // of one transaction
  std::array<std::uint32_t, kOpKinds> by_kind{};
  std::uint32_t keys = 0;
  std::uint32_t versions = 0;          // distinct values per key, initial ones not counted
  std::uint32_t repeated_values = 0;   // versions that more than one transaction wrote
  std::uint32_t ambiguous_reads = 0;   // reads of such versions
  std::uint32_t reads_of_initial = 0;  // reads that found nothing written yet
  std::vector<HotKey> hot_keys;        // at most ten, the hottest first
  std::optional<Concurrency> concurrency;
  std::size_t resident_bytes = 0;

  double bytes_per_operation() const {
    return operations == 0 ? 0 : static_cast<double>(resident_bytes) / operations;
  }
};

Statistics summarise(const History& history);

}  // namespace assay::report
