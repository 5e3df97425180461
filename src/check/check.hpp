// The one entrance to deciding: a history, the levels asked for, and the limits.
//
// Who is outside of check/ includes only these headers of it:
//   check.hpp        decide                      options.hpp      what is asked for
//   outcome.hpp      what it came to             limits.hpp       time and memory
//   reads.hpp        who read from whom          expand.hpp       queries as plain reads
//   derivation.hpp   renaming and listing what a derivation speaks of
//   known_order.hpp  the order that is certain, whatever was chosen where something is open
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "check/options.hpp"
#include "check/outcome.hpp"
#include "check/reads.hpp"
#include "history/history.hpp"
#include "level/level.hpp"

namespace assay::check {

// One outcome per asked level, in the order asked; work that levels share is done once.
std::vector<Outcome> check(const History& history, std::span<const Level> levels,
                           const Options& options = {});

// One level of a history whose reads are resolved already, for those who go on from them (a watch). Queries
// are not taken apart: they say nothing, and then nothing is said to hold.
Outcome check(const History& history, const Reads& reads, Level level, const Options& options);

// The strongest of the given outcomes' levels that holds: one that holds and that no other holding level
// implies.
std::optional<Level> strongest(std::span<const Outcome> outcomes);

}  // namespace assay::check
