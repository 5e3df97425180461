// Reads with several candidate writers: is there an attribution, one writer per read, with which the level
// holds? NP-hard in general, so a search: a SAT solver proposes an attribution, the polynomial judge looks at
// it, and each contradiction becomes a clause over just the choices that it rests on. Ends when an
// attribution passes, when the clauses contradict each other (then none can), or when the effort is spent.
#pragma once

#include <cstdint>

#include "check/axioms.hpp"
#include "check/check.hpp"
#include "check/reads.hpp"

namespace assay::check {

// REQUIRES: some read is ambiguous.
Outcome search_attribution(const History& history, const Reads& reads, SessionOrder sessions, Level level,
                           Limits& limits);

}  // namespace assay::check
