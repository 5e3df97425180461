// Prefix, snapshot isolation, serializable and their real-time variants: the ladder from cheap to expensive.
#pragma once

#include "check/check.hpp"
#include "check/limits.hpp"
#include "check/outcome.hpp"
#include "check/reads.hpp"

namespace assay::check {

// REQUIRES: `level` is prefix or stronger.
Outcome decide_strong(const History& history, const Reads& reads, Level level, const Options& options,
                      Limits& limits);

}  // namespace assay::check
