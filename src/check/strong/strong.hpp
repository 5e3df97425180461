// Prefix, snapshot isolation, serializable and their real-time variants: the ladder from cheap to expensive.
//
//   schedule      run the history greedily; a run without force is a witness
//   serializable  (for the levels below it) a serial order is a witness there too, and easier to find
//   search        repair the order that the schedule left, within a budget: on most histories this is all
//   saturate      add what follows by force, schedule again
//   search        without a budget of its own, until a limit is reached
#pragma once

#include <cstdint>
#include <optional>

#include "check/limits.hpp"
#include "check/options.hpp"
#include "check/outcome.hpp"
#include "check/reads.hpp"
#include "check/strong/query/query_plan.hpp"
#include "check/strong/saturate.hpp"
#include "check/strong/settle.hpp"

namespace assay::check {

// Which steps to take. Everybody but a test takes all of them: what a cheap step decides, an expensive one is
// never asked, and must be tested too.
struct Ladder {
  bool accept_schedule = true;
  bool serializable_first = true;
  bool settle_at_once = false;                // before the first search instead of after it
  bool saturate_at_once = false;              // without settling, before any search
  std::optional<std::uint64_t> random_start;  // search from a random topological order, drawn from this seed
  std::optional<std::uint64_t> first_conflicts;  // budget of the first search
  std::uint32_t choices_at_once = 8;             // as in SearchBudget
  std::uint32_t farthest_jump = 20;              // the same
  std::uint32_t missed_rows_at_once = 8;         // of one query, by which an order is refined
  SettlingOptions settling;
  SaturationOptions saturation;
};

// `queries`: what the history's queries ask for, if it has any (refine.hpp); without it they are not looked at
// beyond the rows that they returned. `serial`: what became of the level at which a serial order is looked for
// first (serial_level), if that was asked before. REQUIRES: `level` is prefix or stronger, and no transaction's
// presence is conditional (see fates.hpp).
Outcome decide_strong(const History& history, const Reads& reads, Level level, const Options& options,
                      Limits& limits, const Ladder& ladder = {}, const QueryPlan* queries = nullptr,
                      const Outcome* serial = nullptr);

// REQUIRES: `level` is prefix or stronger.
Level serial_level(Level level);

}  // namespace assay::check
