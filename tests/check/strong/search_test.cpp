// The search: from any order that keeps what is known to a witness, or to the transactions that rule it out.
#include "check/strong/search.hpp"

#include <gtest/gtest.h>

#include "check/strong/schedule.hpp"
#include "support/random/drawn_problem.hpp"
#include "support/random/random_history.hpp"

namespace assay::check {
namespace {

using Answer = SearchResult::Answer;

SearchResult search_from(DrawnProblem& drawn, const std::vector<Node>& order,
                         const SearchBudget& budget = {}) {
  return search(drawn.problem, order, budget, drawn.limits);
}

// The order that the schedule leaves, forced or not.
SearchResult search_in(DrawnProblem& drawn, const SearchBudget& budget = {}) {
  return search_from(drawn, run_greedily(drawn.problem, drawn.limits).order, budget);
}

TEST(Search, LeavesAWitnessAsItIs) {
  DrawnProblem drawn("a: w(x,1) | r(x,1) w(x,2)\nb: r(x,2)", Level::serializable);
  const std::vector<Node> order{0, 1, 2};
  const SearchResult found = search_from(drawn, order);
  EXPECT_EQ(found.answer, Answer::satisfiable);
  EXPECT_EQ(found.order, order);
  EXPECT_EQ(found.stats.decisions, 0U);
}

TEST(Search, RepairsAReadThatSeesTheWrongWrite) {
  DrawnProblem drawn("a: w(x,1)\nb: w(x,2)\nc: r(x,1)", Level::serializable);
  ASSERT_FALSE(drawn.is_witness({0, 1, 2}));
  const SearchResult found = search_from(drawn, {0, 1, 2});
  ASSERT_EQ(found.answer, Answer::satisfiable);
  EXPECT_TRUE(drawn.is_witness(found.order));
  EXPECT_GT(found.stats.repairs, 0U);
}

TEST(Search, WritersThatOverlapAreOrderedAtSnapshotIsolationOnly) {
  constexpr const char* kBlind = "a: w(x,1)\nb: w(x,2)";
  DrawnProblem snapshot(kBlind, Level::snapshot_isolation);
  const std::vector<Node> together{snapshot.begin(0), snapshot.begin(1), snapshot.commit(0),
                                   snapshot.commit(1)};
  const SearchResult found = search_from(snapshot, together);
  ASSERT_EQ(found.answer, Answer::satisfiable);
  EXPECT_NE(found.order, together);
  EXPECT_TRUE(snapshot.is_witness(found.order));
  DrawnProblem prefix(kBlind, Level::prefix);
  EXPECT_EQ(search_from(prefix, together).order, together);
}

TEST(Search, ChoosesForAReadThatTwoCanHaveWritten) {
  DrawnProblem drawn("a: w(x,1)\nb: w(x,1)\nc: r(x,0) | r(x,1)\nd: w(x,2)", Level::serializable);
  // d's write stands between the candidates and the reader.
  const SearchResult found = search_from(drawn, {0, 1, 2, 4, 3});
  ASSERT_EQ(found.answer, Answer::satisfiable);
  EXPECT_TRUE(drawn.is_witness(found.order));
}

TEST(Search, ItsCoreIsThoseWhoContradictEachOther) {
  // A write skew, and others around it that have nothing to do with it.
  DrawnProblem drawn(
      "a: r(p,0) | r(x,0) w(y,1) | w(q,1)\nb: w(p,1) | r(y,0) w(x,1)\nc: w(z,1) | r(z,1)\nd: w(z,2)",
      Level::serializable);
  const SearchResult found = search_in(drawn);
  ASSERT_EQ(found.answer, Answer::unsatisfiable);
  EXPECT_EQ(found.core, (std::vector<Txn>{Txn{1}, Txn{4}}));
}

// Either order of the two writers is refuted, so it takes a decision.
constexpr const char* kBackAndForth = "a: w(x,1)\nb: w(x,2)\nc: r(x,1) | r(x,2) | r(x,1)";

TEST(Search, RefutesBothOrdersOfTwoWriters) {
  DrawnProblem drawn(kBackAndForth, Level::serializable);
  const SearchResult found = search_in(drawn);
  EXPECT_EQ(found.answer, Answer::unsatisfiable);
  EXPECT_GT(found.stats.decisions, 0U);
  EXPECT_EQ(found.core, (std::vector<Txn>{Txn{0}, Txn{1}, Txn{2}, Txn{3}, Txn{4}}));
}

TEST(Search, GivesUpWhenItsConflictsAreSpent) {
  DrawnProblem drawn(kBackAndForth, Level::serializable);
  SearchBudget none;
  none.conflicts = 0;
  EXPECT_EQ(search_in(drawn, none).answer, Answer::gave_up);
  SearchBudget enough;
  enough.conflicts = 100;
  EXPECT_EQ(search_in(drawn, enough).answer, Answer::unsatisfiable);
}

TEST(Search, GivesUpWhenItsStepsAreSpentAndKeepsTheOrder) {
  DrawnProblem drawn("a: w(x,1)\nb: w(x,2)\nc: r(x,1)\nd: r(x,2)\ne: r(x,1)", Level::serializable);
  SearchBudget none;
  none.steps = 0;
  const SearchResult found = search_from(drawn, {0, 1, 2, 3, 4}, none);
  EXPECT_EQ(found.answer, Answer::gave_up);
  EXPECT_EQ(found.order.size(), 5U) << "where another search can go on";
}

// Whatever it starts from, a witness is one, and those of a core cannot be ordered without the others either.
TEST(Search, RandomAnswersAreRight) {
  Shape shape;
  shape.duplicates = 0.2;
  const std::uint64_t seed = random_seed();
  for (std::uint64_t i = 0; i < random_cases(2000); ++i) {
    Rng rng(seed + i);
    const std::string text = drawing(random_history(rng, shape));
    for (const Level level : {Level::serializable, Level::snapshot_isolation, Level::prefix}) {
      DrawnProblem drawn(text, level);
      if (!drawn.reads.bad_reads().empty()) continue;
      const Schedule schedule = run_greedily(drawn.problem, drawn.limits);
      if (schedule.known_cycle) continue;
      const SearchResult found = search_from(drawn, schedule.order);
      if (found.answer == Answer::satisfiable) {
        ASSERT_TRUE(drawn.is_witness(found.order)) << "seed " << seed + i << "\n" << text;
      } else {
        ASSERT_EQ(found.answer, Answer::unsatisfiable);
        ASSERT_FALSE(found.core.empty());
        ASSERT_GT(schedule.forced, 0U) << "seed " << seed + i << "\n" << text;
      }
    }
  }
}

}  // namespace
}  // namespace assay::check
