// A second opinion by a SAT solver: the plain polygraph (Papadimitriou 1979; Tan et al., Cobra, OSDI 2020;
// Huang et al., PolySI, VLDB 2023) as clauses for CaDiCaL. One variable for the order of each pair of writers
// of a key, one for each possible writer of an ambiguous read, one for the fate of a transaction that may not
// have committed. That the chosen edges have no cycle is not encoded but enforced in a loop: solve, look for
// cycles in the answer, forbid them, solve again.
#pragma once

#include "check/options.hpp"
#include "check/outcome.hpp"
#include "check/reads.hpp"
#include "history/history.hpp"

namespace assay::check {

// Decides prefix, snapshot-isolation, serializable and their real-time forms. A "violated" has no derivation:
// the clauses are unsatisfiable. Undecided when a limit of the options is reached, or when the polygraph has
// more than four million conditional edges or twenty thousand events.
Outcome decide_by_sat(const History& history, const Reads& reads, Level level, const Options& options);

}  // namespace assay::check
