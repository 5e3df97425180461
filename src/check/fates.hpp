// Transactions of unknown fate that may or may not be the writer of what was read (Presence::conditional). A
// history satisfies a level iff it does for some choice of who among them committed. Each choice is a problem
// without such transactions; few are tried where it matters, because a unique value decides a fate by itself.
#pragma once

#include <functional>

#include "check/outcome.hpp"
#include "check/reads.hpp"

namespace assay::check {

// Up to this many are tried in all combinations.
inline constexpr std::uint32_t kMostFates = 10;

// Calls decide(reads) for one choice of fates after another, until one holds. Violated if all are; then the
// evidence is that of the choice in which all committed.
Outcome decide_fates(const History& history, const Reads& reads,
                     const std::function<Outcome(const Reads&)>& decide,
                     QueryReads queries = QueryReads::none);

}  // namespace assay::check
