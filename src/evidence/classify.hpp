// Which of the named anomalies a minimal counterexample is: found from its structure, since a textbook
// pattern inside of what cannot do without any of its transactions is all of it.
#pragma once

#include "check/options.hpp"
#include "history/history.hpp"
#include "level/anomaly.hpp"
#include "level/level.hpp"

namespace assay::evidence {

// `smallest` violates `level`, and would not without any one of its transactions. So the weakest level that
// it violates, and the pattern that is in it, are the whole of what is wrong. Who plays which part in the
// pattern, patterns.hpp says.
Anomaly classify(const History& smallest, Level level, const check::Options& options);

}  // namespace assay::evidence
