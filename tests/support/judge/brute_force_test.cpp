#include "support/judge/brute_force.hpp"

#include <gtest/gtest.h>

#include <array>

#include "check/reads.hpp"
#include "support/neutral.hpp"
#include "support/random/draw.hpp"
#include "support/random/random_history.hpp"

namespace assay {
namespace {

using enum Level;
constexpr std::array kStrong{prefix, snapshot_isolation, serializable, strong_snapshot_isolation,
                             strict_serializable};

// The levels hold up to `strongest` in this chain and fail above it.
void expect_strongest(std::string_view text, std::optional<Level> strongest) {
  static constexpr std::array kChain{read_committed, read_atomic,        causal,
                                     prefix,         snapshot_isolation, serializable};
  const History h = draw(text);
  for (const Level level : kChain) {
    EXPECT_EQ(brute_force(h, level), strongest && implies(*strongest, level)) << info(level).name << "\n"
                                                                              << text;
  }
}

TEST(BruteForce, KnowsTheAnomaliesOfTheTextbook) {
  expect_strongest("a: w(x,1) | r(x,1)", serializable);
  expect_strongest("a: r(x,0) w(y,1)\nb: r(y,0) w(x,1)", snapshot_isolation);            // write skew
  expect_strongest("a: r(x,0) w(x,1)\nb: r(x,0) w(x,2)", prefix);                        // lost update
  expect_strongest("a: w(x,1)\nb: w(y,1)\nc: r(x,1) r(y,0)\nd: r(x,0) r(y,1)", causal);  // long fork
  expect_strongest("a: w(x,1)\nb: r(x,1) w(y,1)\nc: r(y,1) r(x,0)", read_atomic);        // causality
  expect_strongest("a: w(x,1) w(y,1)\nb: r(x,0) r(y,1)", read_committed);                // fractured read
  expect_strongest("a: w(x,1) w(y,1)\nb: r(y,1) r(x,0)", std::nullopt);
  expect_strongest("a: w(x,1)!\nb: r(x,1)", std::nullopt);
}

TEST(BruteForce, KnowsSessionGuarantees) {
  const auto only_violates = [](std::string_view text, Level violated) {
    const History h = draw(text);
    for (const Level level : {read_your_writes, monotonic_reads, monotonic_writes, writes_follow_reads}) {
      EXPECT_EQ(brute_force(h, level), level != violated) << info(level).name << "\n" << text;
      EXPECT_TRUE(brute_force(h, level, {.session_order = false})) << info(level).name << "\n" << text;
    }
  };
  only_violates("a: w(x,1) | r(x,0)", read_your_writes);
  only_violates("a: w(x,1)\nb: r(x,1) | r(x,0)", monotonic_reads);
  only_violates("a: w(x,1) | w(y,1)\nb: r(y,1) r(x,0)", monotonic_writes);
  only_violates("a: w(x,1)\nb: r(x,1) | w(y,1)\nc: r(y,1) r(x,0)", writes_follow_reads);
  EXPECT_FALSE(brute_force(draw("a: w(x,1)\nb: r(x,1) r(x,0)"), repeatable_read));
  EXPECT_TRUE(brute_force(draw("a: w(x,1)\nb: r(x,0) r(x,0)"), repeatable_read));
}

TEST(BruteForce, ReadsTheClock) {
  const History stale = draw("a: @0-1 w(x,1)\nb: @2-3 r(x,0)");
  EXPECT_TRUE(brute_force(stale, serializable));
  EXPECT_FALSE(brute_force(stale, strict_serializable));
  EXPECT_FALSE(brute_force(stale, strong_snapshot_isolation));
  EXPECT_TRUE(brute_force(stale, strict_serializable, {.drift = std::chrono::nanoseconds(1)}));
  const History skew = draw("a: @0-2 r(x,0) w(y,1)\nb: @1-3 r(y,0) w(x,1)");
  EXPECT_TRUE(brute_force(skew, strong_snapshot_isolation));
}

TEST(BruteForce, TriesFatesAndWriters) {
  EXPECT_TRUE(brute_force(draw("a: w(x,1)?\nb: r(x,0) | r(x,1)"), serializable));
  EXPECT_FALSE(brute_force(draw("a: w(x,1)?\nb: r(x,1) | r(x,0)"), serializable));
  EXPECT_TRUE(brute_force(draw("a: w(x,1)\nb: w(x,1)?\nc: r(x,1) | w(x,2) | r(x,1)"), serializable));
  EXPECT_TRUE(brute_force(draw("a: w(x,1) | d(x) | r(x,0)"), serializable));
}

TEST(BruteForce, ReplaysLists) {
  expect_strongest("a: a(x,1)\nb: a(x,2)\nc: l(x,[2,1])", serializable);
  expect_strongest("a: a(x,1)\nb: a(x,2)\nc: l(x,[2,1])\nd: l(x,[1,2])", std::nullopt);
  expect_strongest("a: a(x,1) | a(x,2)\nc: l(x,[2,1])", std::nullopt);
  expect_strongest("a: a(x,1)\nb: l(x,[]) a(x,2)\nc: l(x,[1,2])", prefix);
}

// Compares for all levels and both readings, and shows the smallest history of a disagreement.
void compare(const Shape& shape, std::uint64_t cases, const std::function<bool(const History&)>& wrong) {
  const std::uint64_t seed = random_seed();
  for (std::uint64_t i = 0; i < random_cases(cases); ++i) {
    Rng rng(seed + i);
    const History h = random_history(rng, shape);
    ASSERT_FALSE(wrong(h)) << "seed " << seed + i << "\n" << drawing(shrink(h, wrong));
  }
}

bool the_two_disagree(const History& h) {
  for (const Level level : kStrong) {
    for (const bool sessions : {true, false}) {
      const Reading reading{.session_order = sessions, .drift = std::chrono::nanoseconds(sessions ? 0 : 1)};
      if (brute_force(h, level, reading) != brute_force_by_running(h, level, reading)) return true;
    }
  }
  return false;
}

TEST(BruteForce, AxiomsAndRunsAgree) {
  compare(Shape{}, 2000, the_two_disagree);
  compare(shape_with_everything(), 2000, the_two_disagree);
  compare(shape_of_lists(), 2000, the_two_disagree);
}

bool breaks_the_lattice(const History& h) {
  for (const bool sessions : {true, false}) {
    std::array<bool, kLevels> holds{};
    for (const LevelInfo& level : levels()) {
      holds[static_cast<std::size_t>(level.level)] = brute_force(h, level.level, {.session_order = sessions});
    }
    for (const LevelInfo& level : levels()) {
      for (const Level weaker : level.implies) {
        if (holds[static_cast<std::size_t>(level.level)] && !holds[static_cast<std::size_t>(weaker)]) {
          return true;
        }
      }
    }
  }
  return false;
}

TEST(BruteForce, RespectsTheLattice) {
  compare(Shape{}, 1000, breaks_the_lattice);
  compare(shape_with_everything(), 1000, breaks_the_lattice);
  compare(shape_of_lists(), 1000, breaks_the_lattice);
}

TEST(BruteForce, AgreesWithTheLabelsOfSharedHistories) {
  std::size_t rows = 0;
  for (const char* folder : {"made/neutral", "random/neutral"}) {
    for (const Label& label : labels_of(folder)) {
      const History h = read_neutral(shared_histories() + "/" + label.path);
      EXPECT_EQ(brute_force(h, label.level), label.satisfies) << label.path << " " << info(label.level).name;
      if (label.level >= prefix) {
        EXPECT_EQ(brute_force_by_running(h, label.level), label.satisfies)
            << label.path << " " << info(label.level).name;
      }
      ++rows;
    }
  }
  if (rows == 0) GTEST_SKIP() << "no shared histories beside the source";
}

// What reads alone reveal must be what the judge cannot explain either. Repeatable read asks for nothing
// else, apart from repeated reads.
bool reads_are_judged_differently(const History& h) {
  const check::Reads reads = check::resolve_reads(h);
  bool explained = reads.bad_reads().empty();
  bool ambiguous = false;
  for (const Txn t : h.all_transactions()) {
    for (const check::Source r : reads.reads_of(t)) {
      ambiguous |= r.is_ambiguous();
      for (const check::Source other : reads.reads_of(t)) {
        explained &= reads.key(r) != reads.key(other) || r == other;
      }
    }
  }
  if (brute_force(h, repeatable_read) == explained) return false;
  return !ambiguous || !reads.bad_reads().empty();
}

TEST(BruteForce, FindsTheSameReadsImpossible) {
  compare(Shape{}, 2000, reads_are_judged_differently);
  compare(shape_with_everything(), 2000, reads_are_judged_differently);
  compare(shape_of_lists(), 2000, reads_are_judged_differently);
}

TEST(RandomHistory, IsDeterminedByItsSeedAndCanBeDrawn) {
  for (const Shape& shape : {Shape{}, shape_with_everything(), shape_of_lists()}) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      Rng one(seed), other(seed);
      const std::string text = drawing(random_history(one, shape));
      EXPECT_EQ(text, drawing(random_history(other, shape)));
      EXPECT_EQ(text, drawing(draw(text)));
    }
  }
}

TEST(RandomHistory, ShowsEveryVerdictOften) {
  for (const Shape& shape : {Shape{}, shape_with_everything(), shape_of_lists()}) {
    for (const LevelInfo& level : levels()) {
      int holds = 0;
      for (std::uint64_t seed = 0; seed < 300; ++seed) {
        Rng rng(seed);
        holds += brute_force(random_history(rng, shape), level.level);
      }
      EXPECT_GT(holds, 30) << level.name;
      EXPECT_LT(holds, 290) << level.name;
    }
  }
}

TEST(RandomHistory, ShrinksToTheCore) {
  const History h = draw("a: w(z,9) r(x,0) w(x,1) | r(z,0)\nb: r(y,0) r(x,0) w(x,2) | w(q,3)");
  const auto lost_update = [](const History& it) { return !brute_force(it, snapshot_isolation); };
  EXPECT_EQ(drawing(shrink(h, [&](const History& it) { return lost_update(it) && brute_force(it, prefix); })),
            "a: r(x,0) w(x,1)\nb: r(x,0) w(x,2)");
}

}  // namespace
}  // namespace assay
