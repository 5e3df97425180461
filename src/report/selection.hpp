// Which of several outcomes deserve to be told at length. What refutes a level refutes every level that
// implies it, so a report explains the weakest violated levels and refers the others to them.
#pragma once

#include <span>
#include <vector>

#include "check/outcome.hpp"

namespace assay::report {

// A violated level that `outcome`'s level implies, if one was asked for too: its evidence serves for both.
const check::Outcome* refuted_by(const check::Outcome& outcome, std::span<const check::Outcome> all);

// The weakest violated ones; bad reads, which violate every level alike, only once.
std::vector<const check::Outcome*> worth_explaining(std::span<const check::Outcome> outcomes);

}  // namespace assay::report
