// Running a history greedily: a run without force is a witness.
#include "check/strong/schedule.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/random/drawn_problem.hpp"
#include "support/random/random_history.hpp"

namespace assay::check {
namespace {

bool has_every_node(const Schedule& schedule, const Problem& problem) {
  std::vector<Node> nodes = schedule.order;
  std::sort(nodes.begin(), nodes.end());
  return nodes.size() == problem.nodes() && std::adjacent_find(nodes.begin(), nodes.end()) == nodes.end();
}

TEST(Schedule, RunsWhatIsSerial) {
  DrawnProblem drawn("a: w(x,1) | r(x,2) w(y,1)\nb: r(x,1) w(x,2) | r(y,1)", Level::serializable);
  const Schedule schedule = run_greedily(drawn.problem, drawn.limits);
  EXPECT_EQ(schedule.forced, 0U);
  EXPECT_TRUE(drawn.is_witness(schedule.order));
}

TEST(Schedule, WaitsWithAWriteUntilTheReadersBeforeItRan) {
  DrawnProblem drawn("a: w(x,1) | w(x,2)\nb: w(y,1) | r(x,1)", Level::serializable);
  const Schedule schedule = run_greedily(drawn.problem, drawn.limits);
  EXPECT_EQ(schedule.forced, 0U);
  EXPECT_TRUE(drawn.is_witness(schedule.order));
}

TEST(Schedule, BeginsFirstAndCommitsLaterWhereTheLevelTellsThemApart) {
  constexpr const char* kWriteSkew = "a: r(x,0) w(y,1)\nb: r(y,0) w(x,1)";
  DrawnProblem serial(kWriteSkew, Level::serializable);
  const Schedule forced = run_greedily(serial.problem, serial.limits);
  EXPECT_GT(forced.forced, 0U);
  EXPECT_TRUE(has_every_node(forced, serial.problem)) << "a good order to search from";
  DrawnProblem snapshot(kWriteSkew, Level::snapshot_isolation);
  const Schedule free = run_greedily(snapshot.problem, snapshot.limits);
  EXPECT_EQ(free.forced, 0U);
  EXPECT_TRUE(snapshot.is_witness(free.order));
}

TEST(Schedule, KeepsWritersOfAKeyApartAtSnapshotIsolation) {
  // Both updates read the initial x: a lost update, which prefix allows.
  constexpr const char* kLostUpdate = "a: r(x,0) w(x,1)\nb: r(x,0) w(x,2)";
  DrawnProblem snapshot(kLostUpdate, Level::snapshot_isolation);
  EXPECT_GT(run_greedily(snapshot.problem, snapshot.limits).forced, 0U);
  DrawnProblem prefix(kLostUpdate, Level::prefix);
  const Schedule schedule = run_greedily(prefix.problem, prefix.limits);
  EXPECT_EQ(schedule.forced, 0U);
  EXPECT_TRUE(prefix.is_witness(schedule.order));
}

TEST(Schedule, ACycleOfTheKnownOrderCannotRun) {
  DrawnProblem drawn("a: r(y,1) w(x,1)\nb: r(x,1) w(y,1)", Level::serializable);
  const Schedule schedule = run_greedily(drawn.problem, drawn.limits);
  EXPECT_TRUE(schedule.known_cycle);
  EXPECT_LT(schedule.order.size(), drawn.problem.nodes());
}

TEST(Schedule, RealTimeIsPartOfTheKnownOrder) {
  // b starts after a has ended, and did not see its write.
  constexpr const char* kStale = "a: @1-2 w(x,1)\nb: @3-4 r(x,0)";
  DrawnProblem strict(kStale, Level::strict_serializable);
  EXPECT_GT(run_greedily(strict.problem, strict.limits).forced, 0U);
  DrawnProblem serial(kStale, Level::serializable);
  EXPECT_EQ(run_greedily(serial.problem, serial.limits).forced, 0U);
}

TEST(Schedule, RandomRunsKeepTheKnownOrderAndThoseWithoutForceAreWitnesses) {
  Shape shape;
  const std::uint64_t seed = random_seed();
  for (std::uint64_t i = 0; i < random_cases(2000); ++i) {
    Rng rng(seed + i);
    const std::string text = drawing(random_history(rng, shape));
    for (const Level level : {Level::serializable, Level::snapshot_isolation, Level::prefix}) {
      DrawnProblem drawn(text, level);
      if (!drawn.reads.bad_reads().empty()) continue;
      const Schedule schedule = run_greedily(drawn.problem, drawn.limits);
      if (schedule.known_cycle) continue;
      ASSERT_TRUE(has_every_node(schedule, drawn.problem)) << "seed " << seed + i << "\n" << text;
      if (schedule.forced == 0) {
        ASSERT_TRUE(drawn.is_witness(schedule.order))
            << "seed " << seed + i << " " << info(level).name << "\n"
            << text;
      }
    }
  }
}

}  // namespace
}  // namespace assay::check
