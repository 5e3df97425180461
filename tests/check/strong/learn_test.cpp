// The propositional half of the search by itself: clauses, conflicts, and what a refutation rests on.
#include "check/strong/learn.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "support/random/random_history.hpp"

namespace assay::check {
namespace {

using Value = Learner::Value;
using Clause = std::vector<Lit>;

constexpr Lit yes(std::uint32_t variable) {
  return 2 * variable;
}
constexpr Lit no(std::uint32_t variable) {
  return 2 * variable + 1;
}

// Clause number i holds because of transaction i.
Learner learner_of(std::uint32_t variables, const std::vector<Clause>& clauses) {
  Learner learner;
  for (std::uint32_t v = 0; v < variables; ++v) learner.new_variable();
  for (std::uint32_t i = 0; i < clauses.size(); ++i) {
    const Txn because_of{i};
    learner.add_clause(clauses[i], {&because_of, 1});
  }
  return learner;
}

bool propagate(Learner& learner) {
  for (Learner::Due due = learner.next_due(); due.lit != kNoLit; due = learner.next_due()) {
    if (!learner.imply(due.lit)) return false;
    learner.done(due);
  }
  return true;
}

constexpr auto kNothingToUndo = [](std::uint32_t) {};

// Decides the most active open variable, else the first one, positive first. True: satisfied.
bool solve(Learner& learner) {
  for (;;) {
    if (!propagate(learner)) {
      if (!learner.resolve_conflict(kNothingToUndo)) return false;
      continue;
    }
    if (const Lit active = learner.most_active(); active != kNoLit) {
      learner.decide(active);
      continue;
    }
    std::uint32_t open = 0;
    while (open < learner.variables() && learner.value(yes(open)) != Value::unassigned) ++open;
    if (open == learner.variables()) return true;
    learner.decide(learner.preferred(yes(open), true));
  }
}

bool satisfiable(std::uint32_t variables, const std::vector<Clause>& clauses) {
  for (std::uint32_t assignment = 0; assignment < 1U << variables; ++assignment) {
    const bool all = std::all_of(clauses.begin(), clauses.end(), [&](const Clause& clause) {
      return std::any_of(clause.begin(), clause.end(),
                         [&](Lit l) { return ((assignment >> variable(l) & 1U) != 0) == is_positive(l); });
    });
    if (all) return true;
  }
  return false;
}

TEST(Learn, AClauseWithOneOpenLiteralImpliesIt) {
  Learner learner = learner_of(3, {{no(0), yes(1)}, {no(0), no(1), yes(2)}});
  learner.decide(yes(0));
  ASSERT_TRUE(propagate(learner));
  EXPECT_EQ(learner.value(yes(1)), Value::yes);
  EXPECT_EQ(learner.value(yes(2)), Value::yes);
  EXPECT_EQ(learner.level_of(yes(2)), 1U);
}

TEST(Learn, WhatAConflictTeachesHoldsForGood) {
  // Without 0 both 1 and its opposite would follow.
  Learner learner = learner_of(2, {{yes(0), yes(1)}, {yes(0), no(1)}});
  learner.decide(no(0));
  ASSERT_FALSE(propagate(learner));
  std::vector<std::uint32_t> undone;
  ASSERT_TRUE(learner.resolve_conflict([&](std::uint32_t level) { undone.push_back(level); }));
  EXPECT_EQ(undone, std::vector<std::uint32_t>{0});
  EXPECT_EQ(learner.value(yes(0)), Value::yes);
  EXPECT_EQ(learner.level_of(yes(0)), 0U);
  EXPECT_EQ(learner.value(yes(1)), Value::unassigned);
}

TEST(Learn, JumpsBackOverDecisionsThatHadNoPart) {
  // 0 and 3 exclude each other by way of 4; 1 and 2 have nothing to do with it.
  Learner learner = learner_of(5, {{no(0), no(3), yes(4)}, {no(0), no(3), no(4)}});
  for (const std::uint32_t v : {0U, 1U, 2U}) {
    learner.decide(yes(v));
    ASSERT_TRUE(propagate(learner));
  }
  learner.decide(yes(3));
  ASSERT_FALSE(propagate(learner));
  ASSERT_TRUE(learner.resolve_conflict(kNothingToUndo));
  EXPECT_EQ(learner.level(), 1U);
  EXPECT_EQ(learner.value(yes(3)), Value::no);
  EXPECT_EQ(learner.value(yes(1)), Value::unassigned);
}

// 3 is refuted on its own level, and the clause speaks of 0 alone besides: a short step keeps 1 and 2, and what was learned
// stays as long as 0 does.
TEST(Learn, WhatWasFoundOutAfterAShortStepStaysAsLongAsItFollows) {
  Learner learner = learner_of(5, {{no(0), no(3), yes(4)}, {no(0), no(3), no(4)}});
  learner.take_short_steps(0);
  for (const std::uint32_t v : {0U, 1U, 2U}) {
    learner.decide(yes(v));
    ASSERT_TRUE(propagate(learner));
  }
  learner.decide(yes(3));
  ASSERT_FALSE(propagate(learner));
  ASSERT_TRUE(learner.resolve_conflict(kNothingToUndo));
  EXPECT_EQ(learner.level(), 3U);
  EXPECT_EQ(learner.value(yes(2)), Value::yes);
  EXPECT_EQ(learner.level_of(yes(3)), 1U);
  ASSERT_TRUE(propagate(learner));
  learner.backjump(1, kNothingToUndo);
  EXPECT_EQ(learner.value(yes(2)), Value::unassigned);
  EXPECT_EQ(learner.value(yes(3)), Value::no);
  EXPECT_EQ(learner.next_due().lit, no(3)) << "what it says about the order was taken back";
  learner.backjump(0, kNothingToUndo);
  EXPECT_EQ(learner.value(yes(3)), Value::unassigned);
}

TEST(Learn, WhoHadAPartInConflictsIsDecidedFirst) {
  Learner learner = learner_of(4, {{yes(1), yes(2), yes(3)}, {yes(1), yes(2), no(3)}});
  learner.count_activity();
  EXPECT_EQ(learner.most_active(), kNoLit);
  for (const std::uint32_t v : {0U, 1U, 2U}) {
    ASSERT_TRUE(propagate(learner));
    learner.decide(no(v));
  }
  ASSERT_FALSE(propagate(learner));
  ASSERT_TRUE(learner.resolve_conflict(kNothingToUndo));
  learner.backjump(0, kNothingToUndo);
  std::vector<Lit> active;
  for (Lit l = learner.most_active(); l != kNoLit; l = learner.most_active()) active.push_back(l);
  std::sort(active.begin(), active.end());
  EXPECT_EQ(active, (std::vector<Lit>{no(1), yes(2), yes(3)})) << "each as it was assigned last; not 0";
}

TEST(Learn, RemembersHowAVariableWasAssignedLast) {
  Learner learner = learner_of(1, {});
  EXPECT_EQ(learner.preferred(yes(0), true), yes(0));
  EXPECT_EQ(learner.preferred(yes(0), false), no(0));
  learner.decide(no(0));
  learner.backjump(0, kNothingToUndo);
  EXPECT_EQ(learner.preferred(yes(0), true), no(0));
}

TEST(Learn, ACoreHasOnlyWhatTheRefutationUsed) {
  Learner learner = learner_of(5, {{yes(3), yes(4)},
                                   {yes(0), yes(1)},
                                   {yes(0), no(1)},
                                   {no(0), yes(2)},
                                   {no(0), no(2)},
                                   {no(3), yes(4)}});
  ASSERT_FALSE(solve(learner));
  EXPECT_EQ(learner.core(), (std::vector<Txn>{Txn{1}, Txn{2}, Txn{3}, Txn{4}}));
}

TEST(Learn, AConflictFromOutsideRestsOnWhatItIsToldToRestOn) {
  Learner learner = learner_of(1, {});
  learner.decide(yes(0));
  const std::vector<Lit> excluded{no(0), no(0)};
  const std::vector<Txn> first{Txn{7}}, second{Txn{9}};
  learner.set_conflict(excluded, first);
  ASSERT_TRUE(learner.resolve_conflict(kNothingToUndo));
  ASSERT_EQ(learner.value(yes(0)), Value::no);
  learner.set_conflict(std::vector<Lit>{yes(0)}, second);
  ASSERT_FALSE(learner.resolve_conflict(kNothingToUndo));
  EXPECT_EQ(learner.core(), (std::vector<Txn>{Txn{7}, Txn{9}}));
}

// Against trying all assignments; and what it blames is enough to blame.
TEST(Learn, RandomClausesAreDecidedAndRefutationsRestOnTheirCore) {
  const std::uint64_t seed = random_seed();
  std::uint64_t refuted = 0;
  for (std::uint64_t i = 0; i < random_cases(3000); ++i) {
    Rng rng(seed + i);
    const std::uint32_t variables = rng.between(2, 8);
    std::vector<Clause> clauses(rng.between(1, 6 * variables));
    for (Clause& clause : clauses) {
      const std::uint32_t first = rng.below(variables);
      for (std::uint32_t n = rng.between(2, std::min(3U, variables)); n > 0; --n) {
        clause.push_back(2 * ((first + n) % variables) + rng.below(2));
      }
    }
    Learner learner = learner_of(variables, clauses);
    if (rng.chance(0.5)) learner.count_activity();
    if (rng.chance(0.5)) learner.take_short_steps(rng.below(3));
    const bool found = solve(learner);
    ASSERT_EQ(found, satisfiable(variables, clauses)) << "seed " << seed + i;
    if (found) continue;
    ++refuted;
    std::vector<Clause> blamed;
    for (const Txn t : learner.core()) blamed.push_back(clauses[index(t)]);
    ASSERT_FALSE(satisfiable(variables, blamed)) << "seed " << seed + i;
  }
  EXPECT_GT(refuted, 0U);
}

TEST(Learn, ForgettingChangesNoAnswer) {
  const std::uint64_t seed = random_seed();
  for (std::uint64_t i = 0; i < random_cases(300); ++i) {
    Rng rng(seed + i);
    constexpr std::uint32_t kVariables = 12;
    std::vector<Clause> clauses(52);
    for (Clause& clause : clauses) {
      const std::uint32_t first = rng.below(kVariables);
      for (std::uint32_t n = 0; n < 3; ++n) {
        clause.push_back(2 * ((first + n * rng.between(1, 3)) % kVariables) + rng.below(2));
      }
      std::sort(clause.begin(), clause.end());
      clause.erase(
          std::unique(clause.begin(), clause.end(), [](Lit a, Lit b) { return variable(a) == variable(b); }),
          clause.end());
      if (clause.size() == 1) clause.push_back(2 * ((variable(clause[0]) + 1) % kVariables));
    }
    Learner learner = learner_of(kVariables, clauses);
    bool refuted = false;
    for (int conflicts = 0; conflicts < 10 && !refuted;) {
      if (!propagate(learner)) {
        ++conflicts;
        refuted = !learner.resolve_conflict(kNothingToUndo);
        continue;
      }
      std::uint32_t open = 0;
      while (open < kVariables && learner.value(yes(open)) != Value::unassigned) ++open;
      if (open == kVariables) break;
      learner.decide(no(open));
    }
    if (!refuted) {
      learner.backjump(0, kNothingToUndo);
      learner.forget();
      refuted = !solve(learner);
    }
    ASSERT_EQ(!refuted, satisfiable(kVariables, clauses)) << "seed " << seed + i;
  }
}

}  // namespace
}  // namespace assay::check
