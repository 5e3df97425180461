// A complete derivation of a contradiction for a small history. The checkers' own derivations take for
// granted which write each ambiguous read saw; here each possibility becomes a case, so that what is left in
// every case is a history in which each value has one writer.
#pragma once

#include <optional>

#include "check/check.hpp"
#include "check/outcome.hpp"
#include "history/history.hpp"
#include "level/level.hpp"

namespace assay::evidence {

// nullopt if the history does not violate the level, or only by reads that no level allows, or if it takes
// more cases than anybody would look at. Every step that rests on a read names it.
std::optional<check::Derivation> prove_violation(const History& history, Level level,
                                                 const check::Options& options);

}  // namespace assay::evidence
