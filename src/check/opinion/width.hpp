// A second opinion by bounded-width search (Biswas and Enea, "On the Complexity of Checking Transactional
// Consistency", OOPSLA 2019, sections 4 and 5): run the history session by session, remember how far each
// session had come where a run got stuck, and never try to go on from there again. Exponential only in the
// number of sessions that share keys.
#pragma once

#include "check/options.hpp"
#include "check/outcome.hpp"
#include "check/reads.hpp"
#include "history/history.hpp"

namespace assay::check {

// Decides prefix, snapshot-isolation, serializable and their real-time forms. A "violated" has no derivation:
// the search was exhaustive. Undecided when a limit of the options is reached, when five million prefixes
// were not enough, or with more than 4,096 sessions (transactions, if session order is ignored).
Outcome decide_by_width(const History& history, const Reads& reads, Level level, const Options& options);

}  // namespace assay::check
