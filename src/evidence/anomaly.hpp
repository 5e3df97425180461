// The names that the field has for violations, and how to tell which one is at hand. A name is found from the
// structure of a minimal counterexample: since no transaction can be left out of it, a textbook pattern
// inside of it is all of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "check/check.hpp"
#include "check/outcome.hpp"
#include "history/history.hpp"
#include "level/level.hpp"

namespace assay::evidence {

enum class Anomaly : std::uint8_t {
  internal_inconsistency,
  future_read,
  thin_air_read,
  aborted_read,
  intermediate_read,
  incompatible_order,
  dirty_write,
  circular_information_flow,
  non_repeatable_read,
  read_your_writes_violation,
  monotonic_reads_violation,
  monotonic_writes_violation,
  writes_follow_reads_violation,
  fractured_read,
  phantom,
  causality_violation,
  read_skew,
  long_fork,
  lost_update,
  write_skew,
  anti_dependency_cycle,
  predicate_write_skew,
  stale_read,
  unnamed_cycle,
};
inline constexpr std::size_t kAnomalies = 24;

struct AnomalyInfo {
  Anomaly anomaly;
  std::string_view name;   // as in JSON: "lost-update"
  std::string_view title;  // as in a sentence: "lost update"
  std::string_view code;   // Adya's (or Berenson's) name for it; empty if it has none
  std::span<const Level>
      forbidden_by;              // the weakest levels that forbid it; all that imply one of them do too
  std::string_view consequence;  // what it can do to an application, in one line
};

std::span<const AnomalyInfo> anomalies();
const AnomalyInfo& info(Anomaly anomaly);
// All levels that forbid it, in the order of the table of levels.
std::vector<Level> levels_that_forbid(Anomaly anomaly);

}  // namespace assay::evidence
