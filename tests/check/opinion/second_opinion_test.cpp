#include <gtest/gtest.h>

#include <array>
#include <filesystem>

#include "check/opinion/communication.hpp"
#include "check/opinion/sat.hpp"
#include "check/opinion/width.hpp"
#include "support/judge/brute_force.hpp"
#include "support/neutral.hpp"
#include "support/random/draw.hpp"
#include "support/random/random_history.hpp"

namespace assay::check {
namespace {

using enum Level;
constexpr std::array kStrong{prefix, snapshot_isolation, serializable, strong_snapshot_isolation,
                             strict_serializable};
using Decide = Outcome (*)(const History&, const Reads&, Level, const Options&);

class SecondOpinion : public testing::TestWithParam<Decide> {
 protected:
  static Outcome decide(const History& h, Level level, const Options& options = {}) {
    return GetParam()(h, resolve_reads(h), level, options);
  }

  // The method's verdict on every strong level is the judge's.
  static bool differs(const History& h) {
    for (const Level level : kStrong) {
      if (info(level).real_time && !h.has_times()) continue;
      for (const SessionOrder sessions : {SessionOrder::keep, SessionOrder::ignore}) {
        const bool keep = sessions == SessionOrder::keep;
        const std::chrono::nanoseconds drift{keep ? 0 : 1};
        Options options;
        options.sessions = sessions;
        options.clock_drift = drift;
        const Outcome outcome = decide(h, level, options);
        const bool holds = brute_force(h, level, {.session_order = keep, .drift = drift});
        if (outcome.verdict != (holds ? Verdict::holds : Verdict::violated)) return true;
      }
    }
    return false;
  }

  static void compare(const Shape& shape, std::uint64_t cases) {
    const std::uint64_t seed = random_seed();
    for (std::uint64_t i = 0; i < random_cases(cases); ++i) {
      Rng rng(seed + i);
      const History h = random_history(rng, shape);
      ASSERT_FALSE(differs(h)) << "seed " << seed + i << "\n" << drawing(shrink(h, differs));
    }
  }
};

TEST_P(SecondOpinion, AgreesWithBruteForceOnRegisters) {
  compare(Shape{}, 500);
  Shape larger;
  larger.max_transactions = 8;
  larger.max_keys = 4;
  compare(larger, 300);
}

TEST_P(SecondOpinion, AgreesWithBruteForceOnEverything) {
  compare(shape_with_everything(), 1000);
  Shape many_candidates = shape_with_everything();
  many_candidates.max_transactions = 7;
  many_candidates.duplicates = 0.5;
  many_candidates.unknown = 0.3;
  compare(many_candidates, 500);
}

TEST_P(SecondOpinion, AgreesWithBruteForceOnLists) {
  compare(shape_of_lists(), 1000);
}

// Sessions that rarely share a key come apart into components.
TEST_P(SecondOpinion, AgreesWithBruteForceOnSparseHistories) {
  Shape sparse;
  sparse.max_transactions = 8;
  sparse.max_keys = 8;
  sparse.max_operations = 2;
  compare(sparse, 1000);
}

TEST_P(SecondOpinion, AgreesWithTheLabelsOfSharedHistories) {
  std::size_t rows = 0;
  for (const char* folder : {"made/neutral", "random/neutral"}) {
    for (const Label& label : labels_of(folder)) {
      if (label.level < prefix) continue;
      const History h = read_neutral(shared_histories() + "/" + label.path);
      EXPECT_EQ(decide(h, label.level).verdict, label.satisfies ? Verdict::holds : Verdict::violated)
          << label.path << " " << info(label.level).name;
      ++rows;
    }
  }
  if (rows == 0) GTEST_SKIP() << "no shared histories beside the source";
}

TEST_P(SecondOpinion, IsNeverWrongOnRealHistories) {
  std::size_t rows = 0;
  for (const char* folder : {"awdit", "cobralogs", "elle-cli", "isovista", "polysi", "veristrong"}) {
    for (const Label& label : labels_of(folder)) {
      const std::string path = shared_histories() + "/neutral/" + label.path + ".jsonl";
      if (label.level < prefix || !std::filesystem::exists(path)) continue;
      Options options;
      options.timeout_seconds = 1;
      const Outcome outcome = decide(read_neutral(path), label.level, options);
      EXPECT_NE(outcome.verdict, label.satisfies ? Verdict::violated : Verdict::holds)
          << label.path << " " << info(label.level).name;
      ++rows;
    }
  }
  if (rows == 0) GTEST_SKIP() << "no shared histories beside the source";
}

TEST_P(SecondOpinion, SaysWhatItDoesNotDecide) {
  const History h = draw("a: w(x,1) | r(x,1)");
  EXPECT_EQ(decide(h, causal).verdict, Verdict::undecided);
  EXPECT_EQ(decide(h, strict_serializable).verdict, Verdict::undecided) << "no times";
  const History strange = draw("a: a(x,1) | a(x,1)");
  EXPECT_EQ(decide(strange, serializable).verdict, Verdict::undecided);
  EXPECT_FALSE(decide(strange, serializable).reason.empty());
  const Outcome bad = decide(draw("a: r(x,1)"), serializable);
  EXPECT_EQ(bad.verdict, Verdict::violated);
  EXPECT_EQ(bad.bad_reads.size(), 1U);
  EXPECT_EQ(decide(draw(""), serializable).verdict, Verdict::holds);
}

TEST_P(SecondOpinion, GivesUpWhenTimeOrMemoryIsUp) {
  const History h = draw("a: w(x,1) | r(x,1)\nb: w(x,2) | r(x,2)");
  Options no_time;
  no_time.timeout_seconds = 0;
  EXPECT_EQ(decide(h, serializable, no_time).verdict, Verdict::undecided);
  Options no_memory;
  no_memory.memory_bytes = 1;
  EXPECT_EQ(decide(h, serializable, no_memory).verdict, Verdict::undecided);
}

INSTANTIATE_TEST_SUITE_P(Width, SecondOpinion, testing::Values(&decide_by_width));
INSTANTIATE_TEST_SUITE_P(Sat, SecondOpinion, testing::Values(&decide_by_sat));

TEST(Communication, SplitsSessionsAtTheOnesInBetween) {
  // 0 - 1, then 1, 2 and 3 in a triangle, 4 alone.
  const std::vector<Component> components =
      communicating_components(5, {{0, 1}, {1, 2}, {2, 3}, {1, 3}, {4}, {1}});
  ASSERT_EQ(components.size(), 3U);
  std::vector<std::vector<std::uint32_t>> sessions;
  std::size_t keys = 0;
  for (const Component& c : components) {
    sessions.push_back(c.sessions);
    keys += c.keys.size();
  }
  std::sort(sessions.begin(), sessions.end());
  EXPECT_EQ(sessions, (std::vector<std::vector<std::uint32_t>>{{0, 1}, {1, 2, 3}, {4}}));
  EXPECT_EQ(keys, 6U) << "each key has one home";
}

}  // namespace
}  // namespace assay::check
