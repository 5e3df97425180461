// A verdict on one level as a verdict on another: what satisfies a level satisfies those that it implies, and
// what violates a level violates those that imply it. With all that proves it.
#pragma once

#include "check/outcome.hpp"
#include "check/reads.hpp"
#include "history/history.hpp"

namespace assay::check {

// Whether the outcome of one level settles another.
bool settles(const Outcome& outcome, Level level);

// REQUIRES: settles(outcome, level).
Outcome implied(const History& history, const Reads& reads, const Outcome& outcome, Level level);

}  // namespace assay::check
