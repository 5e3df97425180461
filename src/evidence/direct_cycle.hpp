// The shortest circle that a history shows without deduction. An engine stops at the first contradiction that
// it meets, and that may rest on long chains of reasoning; often a shorter one stands elsewhere in plain
// sight.
#pragma once

#include <vector>

#include "check/check.hpp"
#include "history/history.hpp"
#include "level/level.hpp"

namespace assay::evidence {

// Looks at session order, reads-from, the order that lists show, and anti-dependencies whose overwriter read
// the same version itself. The transactions of a shortest circle of these and whom they read from, sorted;
// empty if there is none. Whether they violate the level is for a check to say. About linear in the history.
// REQUIRES: level implies prefix.
std::vector<Txn> direct_cycle(const History& history, Level level, check::SessionOrder sessions);

}  // namespace assay::evidence
