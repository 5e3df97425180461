// The anomalies that have a name, as data: what each is called, which levels forbid it, and what it can do to
// an application. evidence/classify.hpp says which one a violation is, record/generate/plant.hpp plants one,
// and the store of our own can be told to let one through.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "level/level.hpp"

namespace assay {

enum class Anomaly : std::uint8_t {
  // A read that no order explains.
  internal_inconsistency,
  duplicate_row,
  future_read,
  thin_air_read,
  aborted_read,
  dirty_update,
  intermediate_read,
  incompatible_order,
  duplicate_elements,
  // A circle without a read of something older.
  dirty_write,
  cyclic_versions,
  circular_information_flow,
  // A read of something older, from what the weakest levels forbid to what only the strongest do.
  non_repeatable_read,
  read_your_writes_violation,
  observed_transaction_vanishes,
  monotonic_reads_violation,
  monotonic_writes_violation,
  writes_follow_reads_violation,
  fractured_read,
  phantom,
  causality_violation,
  read_skew,
  long_fork,
  lost_update,
  single_anti_dependency_cycle,
  nonadjacent_anti_dependency_cycle,
  write_skew,
  anti_dependency_cycle,
  predicate_write_skew,
  // With real time in the circle.
  write_order_against_clock,
  information_flow_against_clock,
  stale_read,
  long_fork_against_clock,
  anti_dependency_cycle_against_clock,
  unnamed_cycle,
};
inline constexpr std::size_t kAnomalies = 35;

// The instance of an anomaly that stands in every textbook, over registers or lists (x0: as before, x': new):
//
//   lost-update        A: r(x0) w(x')         B: r(x0) w(x'')
//   write-skew         A: r(x0) r(y0) w(x')   B: r(x0) r(y0) w(y')
//   long-fork          A: w(x')   B: w(y')    C: r(x') r(y0)   D: r(y') r(x0)
//   read-skew          A: r(x0) r(y')         B, inside A: w(x') w(y')
//   fractured-read     A: w(x') w(y')         B, inside A: r(x0) r(y')
//   causality          A: w(x')   B: r(x') w(y')   C: r(y') r(x0)
//   stale-read         A: w(x'), ended        B, started later: r(x0)
//   aborted-read       A: w(x'), aborted      B: r(x')
//   intermediate-read  A: w(x') w(x'')        B: r(x')
//   dirty-write        A: w(x') w(y'')        B: w(x'') w(y')   C, D: r(x'') r(y'')
//   phantom            A: range, range        B, inside A: insert
//
// An instance may break more than the anomaly does in general: any read skew breaks prefix, the textbook's,
// where one transaction is seen by halves, breaks read atomic already (and is called fractured read where it
// is found). And it may show less: who sees a dirty write of registers needs read committed to tell.
struct Textbook {
  std::string_view name = {};          // as a user asks for it; empty: there is no such instance
  std::span<const Level> breaks = {};  // the weakest levels that it breaks; all that imply one of them too
};

struct AnomalyInfo {
  Anomaly anomaly;
  std::string_view name;                // as in JSON: "lost-update"
  std::string_view title;               // as in a sentence: "lost update"
  std::string_view code;                // Adya's, Berenson's or Elle's name for it; empty if it has none
  std::span<const Level> forbidden_by;  // the weakest levels that forbid it; all that imply one do too
  std::string_view consequence;         // what it can do to an application, in one line
  Textbook textbook = {};
};

std::span<const AnomalyInfo> anomalies();
const AnomalyInfo& info(Anomaly anomaly);
// All levels that forbid it, in the order of the table of levels.
std::vector<Level> levels_that_forbid(Anomaly anomaly);

// Those that have a textbook instance.
std::span<const Anomaly> textbook_anomalies();
std::optional<Anomaly> find_textbook_anomaly(std::string_view name);
// Whether a history with the textbook instance violates the level.
bool textbook_breaks(Anomaly anomaly, Level level);
// Whether only start and end times reveal the textbook instance. REQUIRES: there is one.
bool needs_times(Anomaly anomaly);

}  // namespace assay
