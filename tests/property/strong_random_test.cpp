// The strong levels against brute force, on tiny random histories with everything in them.
#include <gtest/gtest.h>

#include <optional>

#include "check/fates.hpp"
#include "check/strong/strong.hpp"
#include "support/judge/brute_force.hpp"
#include "support/judge/replay.hpp"
#include "support/random/random_history.hpp"
#include "support/random/random_ladder.hpp"

namespace assay::check {
namespace {

Outcome decide(const History& h, Level level, Reading reading, const Ladder& ladder) {
  Options options;
  options.sessions = reading.session_order ? SessionOrder::keep : SessionOrder::ignore;
  options.clock_drift = reading.drift;
  Limits limits;
  const Reads reads = resolve_reads(h);
  return decide_fates(h, reads,
                      [&](const Reads& r) { return decide_strong(h, r, level, options, limits, ladder); });
}

// A verdict comes with evidence: an order that replays, a bad read, or a derivation.
bool proves_itself(const History& h, const Outcome& outcome, Reading reading) {
  if (outcome.verdict == Verdict::holds) {
    return !replay(h, outcome.level, reading.session_order, reading.drift, outcome.order);
  }
  return !outcome.bad_reads.empty() || !outcome.derivation.empty();
}

void compare(const Shape& shape, std::initializer_list<Level> levels, std::uint64_t cases) {
  const std::uint64_t seed = random_seed();
  for (std::uint64_t i = 0; i < cases; ++i) {
    Rng rng(seed + i);
    const History h = random_history(rng, shape);
    if (shape.times && !h.has_times()) continue;  // undecided, and rightly so
    Reading reading;
    reading.session_order = rng.chance(0.7);
    reading.drift = std::chrono::nanoseconds(rng.below(3));
    for (const Level level : levels) {
      const Ladder ladder = random_ladder(rng);
      const auto disagree = [&](const History& history) {
        const Verdict expected = brute_force(history, level, reading) ? Verdict::holds : Verdict::violated;
        const Outcome outcome = decide(history, level, reading, ladder);
        return outcome.verdict != expected || !proves_itself(history, outcome, reading);
      };
      if (!disagree(h)) continue;
      const History small = shrink(h, disagree);
      FAIL() << "seed " << seed + i << " at " << info(level).name
             << (reading.session_order ? "" : ", sessions ignored") << ", drift " << reading.drift.count()
             << ": brute force says " << (brute_force(small, level, reading) ? "holds" : "violated") << "\n"
             << drawing(small);
    }
  }
}

constexpr std::initializer_list<Level> kStrong{Level::serializable, Level::snapshot_isolation, Level::prefix};

TEST(StrongRandom, Registers) {
  Shape shape;
  shape.max_transactions = 8;
  compare(shape, kStrong, random_cases(3000));
}

TEST(StrongRandom, Everything) {
  Shape shape = shape_with_everything();
  shape.max_transactions = 7;
  compare(shape, kStrong, random_cases(3000));
}

TEST(StrongRandom, Lists) {
  compare(shape_of_lists(), kStrong, random_cases(2000));
}

TEST(StrongRandom, RealTime) {
  Shape shape = shape_with_everything();
  shape.times = true;
  compare(shape, {Level::strict_serializable, Level::strong_snapshot_isolation}, random_cases(2000));
}

}  // namespace
}  // namespace assay::check
