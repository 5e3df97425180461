// What is forbidden from some levels upwards, as data: tables name the weakest levels that forbid it, and all
// that imply one of them do too.
#pragma once

#include <algorithm>
#include <array>
#include <span>

#include "level/level.hpp"

namespace assay {

// Every level implies one of these.
inline constexpr std::array<Level, 6> kEveryLevel{Level::read_your_writes, Level::monotonic_reads,
                                                  Level::monotonic_writes, Level::writes_follow_reads,
                                                  Level::read_committed,   Level::repeatable_read};

// One level and all that imply it.
template <Level level>
inline constexpr std::array<Level, 1> kFrom{level};

// Whether the level is among these or implies one of them.
inline bool implies_any(Level level, std::span<const Level> weakest) {
  return std::any_of(weakest.begin(), weakest.end(), [&](Level weaker) { return implies(level, weaker); });
}

}  // namespace assay
