// What follows by force, rule by rule; and that nothing else does.
#include "check/strong/saturate.hpp"

#include <gtest/gtest.h>

#include "support/random/drawn_problem.hpp"

namespace assay::check {
namespace {

using Result = Saturation::Result;

TEST(Saturate, AWriterThatPrecedesAReaderPrecedesWhatWasRead) {
  DrawnProblem drawn("a: w(x,1) | r(x,2)\nb: w(x,2)", Level::serializable);
  Saturation saturation(drawn.problem, {}, drawn.limits);
  ASSERT_EQ(saturation.run(), Result::fixpoint);
  EXPECT_TRUE(saturation.precedes(drawn.commit(0), drawn.begin(2)));
  EXPECT_EQ(saturation.added_by(Rule::overwritten), 1U);
  ASSERT_EQ(saturation.edges().size(), 1U);
  EXPECT_EQ(saturation.edges()[0].witness, Txn{1}) << "the reader";
}

TEST(Saturate, AReaderPrecedesWhatOverwritesItsVersion) {
  DrawnProblem drawn("a: w(x,1) | w(x,2)\nb: r(x,1)", Level::serializable);
  Saturation saturation(drawn.problem, {}, drawn.limits);
  ASSERT_EQ(saturation.run(), Result::fixpoint);
  EXPECT_TRUE(saturation.precedes(drawn.begin(2), drawn.commit(1)));
  EXPECT_EQ(saturation.added_by(Rule::anti_dependency), 1U);
  EXPECT_EQ(saturation.edges()[0].witness, Txn{0}) << "the writer of what was read";
}

TEST(Saturate, AReaderOfTheInitialVersionPrecedesAllWriters) {
  DrawnProblem drawn("a: r(x,0)\nb: w(x,1)\nc: w(x,2)", Level::serializable);
  Saturation saturation(drawn.problem, {}, drawn.limits);
  ASSERT_EQ(saturation.run(), Result::fixpoint);
  EXPECT_TRUE(saturation.precedes(drawn.begin(0), drawn.commit(1)));
  EXPECT_TRUE(saturation.precedes(drawn.begin(0), drawn.commit(2)));
  EXPECT_EQ(saturation.added_by(Rule::initial), 2U);
}

TEST(Saturate, TheFirstCommitterWinsAtSnapshotIsolationOnly) {
  // a began before b committed, because it saw y without b's write; both write x.
  constexpr const char* kBoth = "a: r(y,0) w(x,1)\nb: w(y,1) w(x,2)";
  DrawnProblem snapshot(kBoth, Level::snapshot_isolation);
  Saturation excluded(snapshot.problem, {}, snapshot.limits);
  ASSERT_EQ(excluded.run(), Result::fixpoint);
  EXPECT_EQ(excluded.added_by(Rule::first_committer), 1U);
  EXPECT_TRUE(excluded.precedes(snapshot.commit(0), snapshot.begin(1)));
  DrawnProblem prefix(kBoth, Level::prefix);
  Saturation open(prefix.problem, {}, prefix.limits);
  ASSERT_EQ(open.run(), Result::fixpoint);
  EXPECT_EQ(open.added_by(Rule::first_committer), 0U);
  EXPECT_FALSE(open.precedes(prefix.commit(0), prefix.begin(1)));
}

TEST(Saturate, WhatIsOpenStaysOpenUntilItIsAssumed) {
  DrawnProblem drawn("a: w(x,1)\nb: w(x,2)\nc: r(x,1)", Level::serializable);
  Saturation saturation(drawn.problem, {}, drawn.limits);
  ASSERT_EQ(saturation.run(), Result::fixpoint);
  EXPECT_FALSE(saturation.precedes(drawn.commit(0), drawn.commit(1)));
  EXPECT_FALSE(saturation.precedes(drawn.commit(1), drawn.commit(0)));
  saturation.assume_order(Txn{0}, Txn{1}, Key{0});
  ASSERT_EQ(saturation.run(), Result::fixpoint);
  EXPECT_TRUE(saturation.precedes(drawn.commit(0), drawn.commit(1)));
  EXPECT_TRUE(saturation.precedes(drawn.begin(2), drawn.commit(1))) << "c read what b overwrites";
}

TEST(Saturate, AReadOfTwoCandidatesHasNoEffectUntilOneIsAssumed) {
  DrawnProblem drawn("a: w(x,1)\nb: w(x,1)\nc: r(x,1)", Level::serializable);
  Saturation saturation(drawn.problem, {}, drawn.limits);
  ASSERT_EQ(saturation.run(), Result::fixpoint);
  EXPECT_FALSE(saturation.precedes(drawn.commit(0), drawn.begin(2)));
  ASSERT_EQ(drawn.problem.ambiguous_reads().size(), 1U);
  saturation.assume_choice(drawn.problem.ambiguous_reads()[0], drawn.reads.writes_of(Txn{0})[0]);
  ASSERT_EQ(saturation.run(), Result::fixpoint);
  EXPECT_TRUE(saturation.precedes(drawn.commit(0), drawn.begin(2)));
}

TEST(Saturate, EndsInTheCycleOfAWriteSkew) {
  DrawnProblem drawn("a: r(x,0) w(y,1)\nb: r(y,0) w(x,1)", Level::serializable);
  Saturation saturation(drawn.problem, {}, drawn.limits);
  ASSERT_EQ(saturation.run(), Result::cycle);
  EXPECT_EQ(saturation.cycle().size(), 2U);
  DrawnProblem allowed("a: r(x,0) w(y,1)\nb: r(y,0) w(x,1)", Level::snapshot_isolation);
  Saturation snapshot(allowed.problem, {}, allowed.limits);
  EXPECT_EQ(snapshot.run(), Result::fixpoint);
}

TEST(Saturate, ClocksCountTheEventsOfEachSessionThatPrecede) {
  DrawnProblem drawn("a: w(x,1) | w(x,2) | w(y,1)\nb: w(z,1) | r(x,2)", Level::serializable);
  Saturation saturation(drawn.problem, {}, drawn.limits);
  ASSERT_EQ(saturation.run(), Result::fixpoint);
  const auto clock = saturation.clock_of(drawn.commit(4));
  EXPECT_EQ(std::vector<std::uint32_t>(clock.begin(), clock.end()), (std::vector<std::uint32_t>{2, 2}));
}

TEST(Saturate, ARuleThatIsSwitchedOffAddsNothing) {
  DrawnProblem drawn("a: w(x,1) | r(x,2)\nb: w(x,2)\nc: r(x,0)", Level::serializable);
  SaturationOptions off;
  off.overwritten = off.anti_dependency = off.first_committer = false;
  Saturation saturation(drawn.problem, off, drawn.limits);
  EXPECT_EQ(saturation.run(), Result::fixpoint);
  EXPECT_TRUE(saturation.edges().empty());
}

TEST(Saturate, OneEdgeAtATimeComesToTheSame) {
  constexpr const char* kHistory = "a: w(x,1) | r(x,2)\nb: w(x,2) | r(y,1)\nc: r(x,0) w(y,1)";
  DrawnProblem drawn(kHistory, Level::serializable);
  SaturationOptions slow;
  slow.batch = 1;
  Saturation one_by_one(drawn.problem, slow, drawn.limits), at_once(drawn.problem, {}, drawn.limits);
  ASSERT_EQ(one_by_one.run(), Result::fixpoint);
  ASSERT_EQ(at_once.run(), Result::fixpoint);
  for (Node u = 0; u < drawn.problem.nodes(); ++u) {
    for (Node v = 0; v < drawn.problem.nodes(); ++v) {
      EXPECT_EQ(one_by_one.precedes(u, v), at_once.precedes(u, v)) << u << " " << v;
    }
  }
}

TEST(Saturate, GivesUpWithoutMemoryForItsClocks) {
  DrawnProblem drawn("a: w(x,1)\nb: r(x,1)", Level::serializable);
  SaturationOptions poor;
  poor.most_bytes = 1;
  Saturation saturation(drawn.problem, poor, drawn.limits);
  EXPECT_EQ(saturation.run(), Result::gave_up);
}

}  // namespace
}  // namespace assay::check
