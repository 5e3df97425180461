// Reading is done; from here on everything that tells a verdict goes the same way: decide, then explain.
#include "evidence/examine.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "evidence/certificate.hpp"
#include "support/random/draw.hpp"

namespace assay::evidence {
namespace {

using check::Verdict;

const std::vector<Level> kLevels{Level::causal, Level::snapshot_isolation, Level::serializable};

std::shared_ptr<const History> lost_update() {
  return std::make_shared<const History>(draw("a: w(x,4)\nb: r(x,4) w(x,5)\nc: r(x,4) w(x,6)"));
}

std::vector<Level> explained(Explain which) {
  std::vector<Level> levels;
  for (const Explanation& one : examine(lost_update(), kLevels, {.explain = which}).explanations)
    levels.push_back(one.level);
  return levels;
}

TEST(Examine, DecidesEachLevelInTheOrderAsked) {
  const Examination found = examine(lost_update(), kLevels, {});
  ASSERT_EQ(found.outcomes.size(), 3U);
  EXPECT_EQ(found.outcomes[0].verdict, Verdict::holds);
  EXPECT_EQ(found.outcomes[1].verdict, Verdict::violated);
  EXPECT_EQ(found.outcomes[2].verdict, Verdict::violated);
  EXPECT_EQ(found.strongest(), Level::causal);
}

TEST(Examine, SaysThatACheckOfNothingTestedNothing) {
  for (const char* drawing : {"", "a: w(x,1) !\nb: r(x,0) w(x,2) ?"}) {
    const Examination found = examine(std::make_shared<const History>(draw(drawing)), kLevels, {});
    EXPECT_EQ(found.outcomes[2].verdict, Verdict::holds);
    ASSERT_EQ(found.history->notes().size(), 1U) << drawing;
    EXPECT_EQ(found.history->notes()[0], "no transaction committed: nothing was tested");
  }
  EXPECT_TRUE(examine(lost_update(), kLevels, {}).history->notes().empty());
}

TEST(Examine, WithFewerCommittedTransactionsThanRequiredNothingHolds) {
  ExamineOptions options;
  options.require_committed = 3;
  EXPECT_EQ(examine(lost_update(), kLevels, options).outcomes[0].verdict, Verdict::holds);
  options.require_committed = 4;
  const Examination found = examine(lost_update(), kLevels, options);
  EXPECT_EQ(found.outcomes[0].verdict, Verdict::undecided);
  EXPECT_EQ(found.outcomes[0].reason,
            "it holds so far, but of the 4 transactions that are required to commit, 3 did");
  EXPECT_EQ(found.outcomes[1].verdict, Verdict::violated) << "however few show it";
}

TEST(Examine, ExplainsWhatItIsAskedTo) {
  EXPECT_EQ(explained(Explain::all), (std::vector<Level>{Level::snapshot_isolation, Level::serializable}));
  EXPECT_EQ(explained(Explain::weakest), std::vector<Level>{Level::snapshot_isolation});
  EXPECT_TRUE(explained(Explain::nothing).empty());
}

TEST(Examine, SaysWhoPlaysWhichPart) {
  const Examination found = examine(lost_update(), kLevels, {});
  const Explanation* why = found.explanation_of(Level::snapshot_isolation);
  ASSERT_NE(why, nullptr);
  EXPECT_EQ(why->counterexample.anomaly, Anomaly::lost_update);
  ASSERT_EQ(why->roles.reads.size(), 2U);
  EXPECT_EQ(why->roles.reads[0].reader, Txn{1});
  EXPECT_EQ(why->roles.reads[1].reader, Txn{2});
  EXPECT_EQ(found.explanation_of(Level::causal), nullptr);
}

TEST(Examine, TellsWhenAllIsDecidedAndNothingExplained) {
  std::vector<std::string> events;
  ExamineOptions options;
  options.check.progress = [&](std::string_view phase) {
    if (phase == "explaining") events.emplace_back(phase);
  };
  options.decided = [&](const Examination& bare) {
    EXPECT_EQ(bare.outcomes.size(), 3U);
    EXPECT_TRUE(bare.explanations.empty());
    events.emplace_back("decided");
  };
  examine(lost_update(), kLevels, options);
  EXPECT_EQ(events, (std::vector<std::string>{"decided", "explaining"}));
}

TEST(Examine, OwnsWhatItSpeaksOf) {
  const Examination found = examine(lost_update(), kLevels, {});
  EXPECT_EQ(found.history.use_count(), 1);
  EXPECT_EQ(found.history->transactions(), 3U);
}

TEST(Examine, AnExaminationThatWasNotMadeIsUndecided) {
  const Examination none = undecided(lost_update(), kLevels, "no time", check::SessionOrder::ignore);
  ASSERT_EQ(none.outcomes.size(), 3U);
  for (std::size_t i = 0; i < kLevels.size(); ++i) {
    EXPECT_EQ(none.outcomes[i].level, kLevels[i]);
    EXPECT_EQ(none.outcomes[i].verdict, Verdict::undecided);
    EXPECT_EQ(none.outcomes[i].reason, "no time");
  }
  EXPECT_EQ(none.strongest(), std::nullopt);
  EXPECT_EQ(certificate(none, none.outcomes[0]), std::nullopt);
}

TEST(Examine, ItsCertificateIsThatOfTheOutcome) {
  const Examination found = examine(lost_update(), kLevels, {});
  const Counterexample& counterexample = found.explanation_of(Level::serializable)->counterexample;
  EXPECT_EQ(certificate(found, found.outcomes[2]),
            certificate(*found.history, found.outcomes[2], &counterexample, {}));
}

}  // namespace
}  // namespace assay::evidence
