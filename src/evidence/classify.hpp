// Which of the named anomalies a minimal counterexample is.
#pragma once

#include "check/check.hpp"
#include "evidence/anomaly.hpp"
#include "history/history.hpp"
#include "level/level.hpp"

namespace assay::evidence {

// `smallest` violates `level`, and would not without any one of its transactions. So the weakest level that
// it violates, and the pattern that is in it, are the whole of what is wrong.
Anomaly classify(const History& smallest, Level level, const check::Options& options);

}  // namespace assay::evidence
