// Everything that the ladder of the strong levels can be, so that every step has to decide now and then, with few rows
// and few candidates at once.
#pragma once

#include "check/strong/strong.hpp"
#include "support/random/random_history.hpp"

namespace assay::check {

inline Ladder random_ladder(Rng& rng) {
  Ladder ladder;
  ladder.accept_schedule = rng.chance(0.5);
  ladder.serializable_first = rng.chance(0.5);
  ladder.settle_at_once = rng.chance(0.5);
  ladder.saturate_at_once = rng.chance(0.3);
  ladder.settling.neighbours = rng.between(1, 8);
  ladder.settling.rounds = rng.between(0, 4);
  if (rng.chance(0.6)) ladder.random_start = rng.next();
  if (rng.chance(0.5)) ladder.first_conflicts = rng.below(4);
  ladder.saturation.overwritten = rng.chance(0.7);
  ladder.saturation.anti_dependency = rng.chance(0.7);
  ladder.saturation.first_committer = rng.chance(0.7);
  if (rng.chance(0.5)) ladder.saturation.batch = rng.between(1, 4);
  ladder.farthest_jump = rng.below(3);
  ladder.choices_at_once = rng.between(1, 3);
  ladder.missed_rows_at_once = rng.between(1, 3);
  return ladder;
}

}  // namespace assay::check
