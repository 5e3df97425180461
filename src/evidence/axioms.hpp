// The levels below prefix say, of a total commit order co that extends session order and reads-from:
//
//   t1 -wr_x-> r,  t2 writes x,  t1 != t2,  t2 is visible to r   =>   t2 -co-> t1
//
// where each level has its own notion of visible (level.hpp). This part takes a commit order and looks at
// every instance. Repeatable read knows no commit order; of its "order" only the set of transactions counts.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "check/outcome.hpp"
#include "evidence/operations.hpp"
#include "history/history.hpp"
#include "level/level.hpp"

namespace assay::evidence {

// As replay(). REQUIRES: level is weaker than prefix; operations.not_understood().empty().
std::optional<std::string> check_axiom(const History& history, Level level, bool keep_sessions,
                                       std::span<const check::Event> order, Operations& operations);

}  // namespace assay::evidence
