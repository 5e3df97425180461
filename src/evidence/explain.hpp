// Why a level is violated: the smallest counterexample, its name, and who plays which part in it.
#pragma once

#include "check/options.hpp"
#include "check/outcome.hpp"
#include "evidence/examination.hpp"
#include "history/history.hpp"

namespace assay::evidence {

// REQUIRES: as find_counterexample().
Explanation explain(const History& history, const check::Outcome& outcome, const check::Options& options);

}  // namespace assay::evidence
