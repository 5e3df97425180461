// What a watch says, in words and as lines of JSON.
#include "watch/event.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "check/check.hpp"
#include "evidence/counterexample.hpp"
#include "support/random/draw.hpp"

namespace assay::watch {
namespace {

using nlohmann::json;

constexpr auto kDrift = std::chrono::nanoseconds(0);

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

Status some_status() {
  Status status;
  status.transactions = 12;
  status.committed = 10;
  status.rounds = 3;
  return status;
}

TEST(WatchEvent, AViolationIsExaminedAndTold) {
  Round round;
  round.verdict = Verdict::violated;
  round.counterexample = draw("a: w(x,4)\nb: r(x,4) w(x,5)\nc: r(x,4) w(x,6)");
  const std::vector<Level> levels{Level::snapshot_isolation};
  round.outcome = check::check(*round.counterexample, levels)[0];
  round.explanation = evidence::find_counterexample(*round.counterexample, round.outcome, {});
  const Violation violation{2, 0xAB, 40, round};
  const ExaminedViolation examined = examine(violation, Level::snapshot_isolation, kDrift);
  ASSERT_TRUE(examined.found);
  const std::string text = violation_text(examined, "pages/x.html", false);
  EXPECT_TRUE(
      text.starts_with("violation 2 of snapshot-isolation, after 40 transactions; report: pages/x.html\n"))
      << text;
  EXPECT_TRUE(contains(text, "one update is lost.")) << text;
  const json line = json::parse(violation_line(examined, std::nullopt));
  EXPECT_EQ(line["event"], "violation");
  EXPECT_EQ(line["digest"], "00000000000000ab");
  EXPECT_EQ(line["check"]["results"][0]["anomaly"]["name"], "lost-update");
  EXPECT_FALSE(line.contains("report"));
  EXPECT_EQ(page_name(violation), "violation-00000000000000ab.html");
}

// What the transactions alone do not show is known to the watcher from those that it no longer keeps.
TEST(WatchEvent, AViolationThatRestsOnWhatIsGoneSaysSo) {
  Round round;
  round.verdict = Verdict::violated;
  round.reason = "known from transactions that are no longer kept: 1 before 2";
  round.counterexample = draw("a: w(x,1)\nb: r(x,1)");
  const Violation violation{1, 1, 9, round};
  const ExaminedViolation examined = examine(violation, Level::serializable, kDrift);
  ASSERT_TRUE(examined.found);
  EXPECT_EQ(examined.found->outcomes[0].verdict, Verdict::violated);
  const std::string text = violation_text(examined, std::nullopt, false);
  EXPECT_TRUE(contains(text, "note: known from transactions that are no longer kept: 1 before 2\n")) << text;
  EXPECT_EQ(json::parse(violation_line(examined, std::nullopt))["reason"], round.reason);
}

TEST(WatchEvent, WhereNothingCanBeShownTheReasonIsTold) {
  Round round;
  round.verdict = Verdict::violated;
  round.reason = "it cannot be shown";
  const Violation violation{1, 1, 9, round};
  const ExaminedViolation examined = examine(violation, Level::serializable, kDrift);
  EXPECT_FALSE(examined.found);
  EXPECT_EQ(violation_text(examined, std::nullopt, false),
            "violation 1 of serializable, after 9 transactions\nit cannot be shown\n\n");
}

TEST(WatchEvent, TheEndIsInWordsOrALine) {
  Status status = some_status();
  EXPECT_EQ(end_text(Level::causal, status), "causal  holds so far; 12 transactions in 3 rounds\n");
  status.violations = 1;
  EXPECT_EQ(end_text(Level::causal, status), "causal  violated: 1 in all; 12 transactions in 3 rounds\n");
  const json line = json::parse(status_line("end", Level::causal, status));
  EXPECT_EQ(line["event"], "end");
  EXPECT_EQ(line["verdict"], "violated") << "whatever the last round said";
}

TEST(WatchEvent, AtTheEndWhatStillWaitsIsUndecided) {
  EXPECT_EQ(final_status(some_status()).verdict, Verdict::holds);
  EXPECT_EQ(final_status({}).verdict, Verdict::undecided) << "nothing came";
  Status waiting = some_status();
  waiting.kept.waiting = 1;
  EXPECT_EQ(final_status(waiting).verdict, Verdict::undecided);
}

TEST(WatchEvent, AtTheEndTooFewCommittedTransactionsAreUndecided) {
  EXPECT_EQ(final_status(some_status(), 10).verdict, Verdict::holds);
  const Status few = final_status(some_status(), 11);
  EXPECT_EQ(few.verdict, Verdict::undecided);
  EXPECT_EQ(few.reason, "it holds so far, but of the 11 transactions that are required to commit, 10 did");
  Status none = some_status();
  none.committed = 0;
  EXPECT_EQ(final_status(none).reason, "no transaction committed: nothing was tested");
  Status violated = some_status();
  violated.verdict = Verdict::violated;
  EXPECT_EQ(final_status(violated, 11).verdict, Verdict::violated);
}

TEST(WatchEvent, TextsOfTheInputStayOnTheirLine) {
  const std::string line = note_line("a\nb\xFF");
  EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 1);
  EXPECT_EQ(json::parse(line)["text"], "a\nb\xEF\xBF\xBD");
}

}  // namespace
}  // namespace assay::watch
