// Several levels of one history within one limit, each with a share of the time of its own: what one does not
// use goes to those after it, and what ran out of its share is asked again when all had their turn.
//
// Where reads have several candidate writers the strong levels come first: they search through writers and
// orders at once, and an order that satisfies one of them satisfies the weak levels as well, which would have
// to try one attribution after another. Elsewhere the weak levels come first, being cheap. Of the strong levels the
// strongest comes first: a serial order is what the others look for first.
#pragma once

#include <span>
#include <vector>

#include "check/options.hpp"
#include "check/outcome.hpp"
#include "check/reads.hpp"
#include "check/strong/query/query_plan.hpp"
#include "history/history.hpp"

namespace assay::check {

// One outcome per level, in the order given. With `queries` only levels from prefix on, by the engine.
std::vector<Outcome> decide_in_turn(const History& history, const Reads& reads, std::span<const Level> levels,
                                    const Options& options, const QueryPlan* queries = nullptr);

}  // namespace assay::check
