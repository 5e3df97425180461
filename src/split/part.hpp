// One part of a divided history: built, decided, and told in the words of the whole.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "check/options.hpp"
#include "check/outcome.hpp"
#include "history/history.hpp"
#include "level/level.hpp"

namespace assay::split {

// What the history of these transactions alone comes to at each level; all ids are those of the whole.
// REQUIRES: no other transaction touches a key of theirs, and they are in increasing order.
std::vector<check::Outcome> decide_part(const History& whole, std::span<const Txn> transactions,
                                        std::span<const Level> levels, const check::Options& options);

}  // namespace assay::split
