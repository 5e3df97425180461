// The smallest part of a history that still violates a level. A sub-history (history/sub_history.hpp) only
// has fewer constraints than the whole, so a part that violates the level proves that the whole does; and
// since that is monotone, trying to leave out each transaction once gives a part of which none can be left
// out.
#pragma once

#include "check/options.hpp"
#include "check/outcome.hpp"
#include "evidence/examination.hpp"
#include "history/history.hpp"

namespace assay::evidence {

// REQUIRES: `outcome` is what check() said of this history with these options, and it is "violated".
Counterexample find_counterexample(const History& history, const check::Outcome& outcome,
                                   const check::Options& options);

}  // namespace assay::evidence
