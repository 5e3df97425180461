// The counterexample as a history of its own, which violates the level by itself and can stand for the whole.
#pragma once

#include <optional>

#include "check/options.hpp"
#include "evidence/examination.hpp"
#include "history/history.hpp"

namespace assay::evidence {

// Queries become reads of what they say. nullopt where no smaller history can say it: the violation rests on
// rows that a query did not return and that several transactions can have taken away.
// REQUIRES: `explanation` is one of this history, found with these options.
std::optional<History> shrink(const History& history, const Explanation& explanation,
                              const check::Options& options);

}  // namespace assay::evidence
