// Why transactions cannot be ordered: steps that rest on each other and end in a circle, or cases that do.
#include "check/strong/derive.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "check/derivation.hpp"
#include "check/strong/saturate.hpp"
#include "support/random/drawn_problem.hpp"

namespace assay::check {
namespace {

std::vector<Txn> everybody(const DrawnProblem& drawn) {
  std::vector<Txn> all(drawn.history.transactions());
  for (std::uint32_t t = 0; t < all.size(); ++t) all[t] = Txn{t};
  return all;
}

std::optional<Derivation> derive(DrawnProblem& drawn, std::vector<Txn> core = {}) {
  if (core.empty()) core = everybody(drawn);
  return derive_contradiction(drawn.problem, core, drawn.limits);
}

// Premises come before what rests on them, and the circle closes.
void expect_well_formed(const Derivation& derivation) {
  for (std::size_t i = 0; i < derivation.steps.size(); ++i) {
    for (const std::uint32_t premise : derivation.steps[i].premises) EXPECT_LT(premise, i);
  }
  for (std::size_t i = 0; i < derivation.cycle.size(); ++i) {
    const Step& step = derivation.steps[derivation.cycle[i]];
    const Step& next = derivation.steps[derivation.cycle[(i + 1) % derivation.cycle.size()]];
    EXPECT_EQ(step.to, next.from);
  }
  for (const Derivation::Case& one : derivation.cases) {
    EXPECT_EQ(one.assumption.rule, Rule::decision);
    EXPECT_FALSE(one.derivation.empty());
    expect_well_formed(one.derivation);
  }
  EXPECT_NE(derivation.cycle.empty(), derivation.cases.empty());
}

TEST(Derive, AWriteSkewIsACircleOfTwoSteps) {
  DrawnProblem drawn("a: r(x,0) w(y,1)\nb: r(y,0) w(x,1)", Level::serializable);
  const auto derivation = derive(drawn);
  ASSERT_TRUE(derivation);
  expect_well_formed(*derivation);
  EXPECT_EQ(derivation->cycle.size(), 2U);
  EXPECT_EQ(transactions_of(*derivation), everybody(drawn));
  for (const Step& step : derivation->steps) EXPECT_EQ(step.rule, Rule::initial);
}

TEST(Derive, AStepNamesWhatItRestsOn) {
  // Each of the two writes before the other: the rest of its session read what the other wrote.
  DrawnProblem drawn("a: w(x,1) | r(x,2)\nb: w(x,2) | r(x,1)", Level::serializable);
  const auto derivation = derive(drawn);
  ASSERT_TRUE(derivation);
  expect_well_formed(*derivation);
  ASSERT_EQ(derivation->cycle.size(), 2U);
  for (const std::uint32_t i : derivation->cycle) {
    const Step& step = derivation->steps[i];
    EXPECT_EQ(step.rule, Rule::overwritten);
    ASSERT_EQ(step.premises.size(), 1U);
    EXPECT_EQ(derivation->steps[step.premises[0]].rule, Rule::session);
    EXPECT_EQ(derivation->steps[step.premises[0]].to.txn, step.witness) << "the reader";
  }
}

TEST(Derive, WhatCanBeOrderedHasNoContradiction) {
  DrawnProblem drawn("a: r(x,0) w(y,1)\nb: r(y,0) w(x,1)", Level::snapshot_isolation);
  EXPECT_FALSE(derive(drawn));
}

TEST(Derive, WhereForceIsNotEnoughTheCasesExhaustWhatIsOpen) {
  // Whether c saw a's or b's write of x, it missed the other key of that writer.
  DrawnProblem drawn("a: w(x,1) w(y,1)\nb: w(x,1) w(z,1)\nc: r(x,1) r(y,0) r(z,0)", Level::serializable);
  const auto derivation = derive(drawn);
  ASSERT_TRUE(derivation);
  expect_well_formed(*derivation);
  ASSERT_EQ(derivation->cases.size(), 2U);
  EXPECT_EQ(derivation->cases[0].assumption.from.txn, Txn{0});
  EXPECT_EQ(derivation->cases[1].assumption.from.txn, Txn{1});
}

TEST(Derive, APartSpeaksOfTheWhole) {
  DrawnProblem drawn("a: w(p,1) | r(x,0) w(y,1)\nb: w(q,1) | r(y,0) w(x,1)", Level::serializable);
  const auto derivation = derive(drawn, {Txn{1}, Txn{3}});
  ASSERT_TRUE(derivation);
  EXPECT_EQ(transactions_of(*derivation), (std::vector<Txn>{Txn{1}, Txn{3}}));
  for (const Step& step : derivation->steps) {
    EXPECT_TRUE(to_string(drawn.history.name(step.key)) == "x" ||
                to_string(drawn.history.name(step.key)) == "y");
  }
}

TEST(Derive, TheCycleOfASaturationIsToldWithItsSteps) {
  DrawnProblem drawn("a: w(x,1) | r(x,2)\nb: w(x,2) | r(x,1)\nc: w(z,1)", Level::serializable);
  Saturation saturation(drawn.problem, {}, drawn.limits);
  ASSERT_EQ(saturation.run(), Saturation::Result::cycle);
  const Derivation derivation = tell_cycle(drawn.problem, saturation);
  expect_well_formed(derivation);
  EXPECT_EQ(transactions_of(derivation), (std::vector<Txn>{Txn{0}, Txn{1}, Txn{2}, Txn{3}}));
}

TEST(Derive, ACoreIsCompletedByThePremisesOfItsForcedEdges) {
  // That a's first wrote before b follows from what a's second read.
  DrawnProblem drawn("a: w(x,1) | r(x,2)\nb: w(x,2)\nc: w(z,1)", Level::serializable);
  Saturation saturation(drawn.problem, {}, drawn.limits);
  ASSERT_EQ(saturation.run(), Saturation::Result::fixpoint);
  const std::vector<Txn> core{Txn{0}, Txn{2}};
  EXPECT_EQ(saturation.with_premises(core), (std::vector<Txn>{Txn{0}, Txn{1}, Txn{2}}));
}

}  // namespace
}  // namespace assay::check
