// What a read did not show, as what a step of a derivation rests on.
#pragma once

#include <optional>
#include <vector>

#include "check/outcome.hpp"
#include "evidence/examination.hpp"
#include "history/history.hpp"

namespace assay::evidence {

// Whether the step rests on a query that did not return a row of its key.
bool rests_on_missing_row(const History& history, const check::Step& step);

// Who did not see what was written by whom. nullopt if the step says no such thing, or does not name its
// read.
std::optional<MissedWrite> missed_write(const check::Step& step);

// Those that the circle of a derivation consists of, in its order; none if it tells cases apart.
std::vector<MissedWrite> missed_writes(const check::Derivation& derivation);

}  // namespace assay::evidence
