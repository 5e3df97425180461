// The public headers from outside: what a program that links Assay can do, and how it learns of mistakes.
#include <assay/assay.h>
#include <gtest/gtest.h>

#include <assay/assay.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "support/program.hpp"

namespace assay::api {
namespace {

History lost_update() {
  Builder build;
  build.begin("alice", 1).read_initial("x").write("x", 1).commit();
  build.begin("bob", 2).read_initial("x").write("x", 2).commit();
  return build.finish();
}

TEST(PublicApi, ChecksAHistoryBuiltByHand) {
  const Report report = check(lost_update(), {"rc", "snapshot-isolation"});
  ASSERT_EQ(report.results.size(), 2U);
  EXPECT_EQ(report.results[0].level, "read-committed");
  EXPECT_EQ(report.results[0].verdict, Verdict::holds);
  EXPECT_EQ(report.results[0].explanation, "");
  EXPECT_EQ(report.results[1].verdict, Verdict::violated);
  EXPECT_NE(report.results[1].explanation.find("session alice"), std::string::npos)
      << report.results[1].explanation;
  EXPECT_EQ(report.strongest, "read-committed");
  EXPECT_NE(report.text.find("snapshot-isolation  violated"), std::string::npos) << report.text;
  EXPECT_EQ(nlohmann::json::parse(report.json)["results"][1]["verdict"], "violated");
}

TEST(PublicApi, CountsWhatWasBuilt) {
  const History history = lost_update();
  EXPECT_EQ(history.sessions(), 2U);
  EXPECT_EQ(history.transactions(), 2U);
  EXPECT_EQ(history.operations(), 4U);
  EXPECT_EQ(history.keys(), 1U);
}

TEST(PublicApi, NumbersAndTextsAreDifferentKeys) {
  Builder build;
  build.begin(1, 1).write(1, 1).write("1", 1).write(std::uint64_t{1}, 2).commit();
  EXPECT_EQ(build.finish().keys(), 2U);
}

TEST(PublicApi, TheBuilderCanBeUsedAgain) {
  Builder build;
  build.begin(1, 1).write("x", 1).commit();
  EXPECT_EQ(build.finish().transactions(), 1U);
  EXPECT_EQ(build.finish().transactions(), 0U);
}

TEST(PublicApi, MisuseIsAnErrorThatNamesTheCall) {
  Builder build;
  EXPECT_THROW(build.write("x", 1), Error);
  EXPECT_THROW(build.commit(), Error);
  build.begin(1, 1);
  EXPECT_THROW(build.begin(1, 2), Error);
  try {
    build.finish();
    FAIL() << "a transaction is open";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "finish: a transaction is open");
  }
}

TEST(PublicApi, UnknownNamesAndMissingFilesAreErrors) {
  EXPECT_THROW(check(lost_update(), {"acid"}), Error);
  EXPECT_THROW(read("no/such/file.jsonl"), Error);
  EXPECT_THROW(read("no/such/file.jsonl", {.format = {}, .initial = "one", .failed_statements = "drop"}),
               Error);
}

TEST(PublicApi, WritesAndReadsFiles) {
  const assay::testing::TemporaryFolder folder;
  const std::string path = folder.file("history.jsonl");
  lost_update().write(path, "jsonl");
  const Report report = check(read(path, {.format = "jsonl"}), {"ser"});
  EXPECT_EQ(report.results[0].verdict, Verdict::violated);
}

TEST(PublicApi, UndecidedComesWithAReason) {
  Builder build;
  build.begin(1, 1).write("x", 1).commit();
  const Report serial = check(build.finish(), {"strict-serializable"});
  EXPECT_EQ(serial.results[0].verdict, Verdict::undecided) << "there are no times";
  EXPECT_NE(serial.results[0].explanation, "");
}

TEST(PublicApi, QueriesListsAndDeletesAreOperationsToo) {
  Builder build;
  build.begin(1, 1).append("l", 1).insert("row:1", 15).insert("row:2", 30).commit({1, 2});
  const std::vector<Value> elements = {1};
  const std::vector<Row> rows = {{"row:1", 15}}, both = {{"row:1", 15}, {"row:2", 30}};
  build.begin(2, 2).list_read("l", elements).predicate_read("row:* between 10 and 19", rows);
  build.range_read("row:", std::nullopt, both).erase("row:1").erase("row:2", "gone").commit({3, 4});
  build.begin(1, 3).read_initial("row:1").read("row:2", "gone").commit({5, 6});
  EXPECT_EQ(check(build.finish(), {"strict-serializable"}).results[0].verdict, Verdict::holds);
  build.begin(1, 1).insert("row:1", 15).commit({1, 2});
  build.begin(2, 2).range_read("row:", "row:9", {}).commit({3, 4});
  EXPECT_EQ(check(build.finish(), {"strict-serializable"}).results[0].verdict, Verdict::violated);
}

TEST(PublicApi, OptionsReachTheCheck) {
  Builder build;
  build.begin(1, 1).write("x", 1).commit();
  build.begin(1, 2).read_initial("x").commit();
  const History history = build.finish();
  EXPECT_EQ(check(history, {"ser"}).results[0].verdict, Verdict::violated);
  EXPECT_EQ(check(history, {"ser"}, {.session_order = false}).results[0].verdict, Verdict::holds);
  EXPECT_EQ(check(history, {"ser"}, {.session_order = false, .require_committed = 3}).results[0].verdict,
            Verdict::undecided);
  EXPECT_EQ(check(history, {"ser"}, {.method = "sat"}).results[0].verdict, Verdict::violated);
  EXPECT_THROW(check(history, {"ser"}, {.method = "luck"}), Error);
  EXPECT_THROW(check(history, {"ser"}, {.clock_drift = std::chrono::nanoseconds(-1)}), Error);
  EXPECT_THROW(check(history, {}), Error);
}

TEST(PublicApi, AVerdictHasAProofThatIsVerifiedByTheHistoryAlone) {
  const History history = lost_update();
  const Report report = check(history, {"read-committed", "serializable"});
  ASSERT_TRUE(report.certificate(0) && report.certificate(1));
  const Verification violated = verify(history, *report.certificate(1));
  EXPECT_TRUE(violated.accepted) << violated.reason;
  EXPECT_EQ(violated.level, "serializable");
  EXPECT_EQ(violated.verdict, Verdict::violated);
  EXPECT_EQ(verify(history, *report.certificate(0)).verdict, Verdict::holds);
  Builder other;
  other.begin("alice", 1).write("x", 1).commit();
  EXPECT_FALSE(verify(other.finish(), *report.certificate(1)).accepted);
  EXPECT_THROW(verify(history, "no certificate"), Error);
}

TEST(PublicApi, AReportComesAsAPageAndForOtherPrograms) {
  const Report report = check(lost_update(), {"serializable"});
  EXPECT_NE(report.page().find("</html>"), std::string::npos);
  EXPECT_TRUE(report.dot().starts_with("digraph"));
  EXPECT_NE(report.junit().find("<testsuite"), std::string::npos);
}

TEST(PublicApi, AWatcherTellsAViolationOnce) {
  Watcher watcher("serializable");
  watcher.admit("alice").admit("bob").all_admitted().add(lost_update());
  const Round round = watcher.decide();
  EXPECT_EQ(round.verdict, Verdict::violated);
  EXPECT_EQ(round.transactions, 2U);
  ASSERT_TRUE(round.report);
  EXPECT_NE(round.report->text.find("Lost update"), std::string::npos) << round.report->text;
  EXPECT_EQ(watcher.decide().verdict, Verdict::holds);
  Builder later;
  later.begin("bob", 3).read("y", 7).commit();
  EXPECT_EQ(watcher.add(later.finish()).decide().verdict, Verdict::holds) << "who wrote it may still come";
  EXPECT_EQ(watcher.waiting(), 1U);
  EXPECT_EQ(watcher.close("alice").decide().verdict, Verdict::violated) << "now nobody can";
  EXPECT_THROW(Watcher("acid"), Error);
}

TEST(PublicCApi, ChecksAHistoryBuiltByHand) {
  assay_builder* build = assay_builder_new();
  ASSERT_NE(build, nullptr);
  for (int client = 1; client <= 2; ++client) {
    ASSERT_EQ(assay_begin(build, client, client), 0) << assay_error();
    ASSERT_EQ(assay_add_read_initial(build, 7), 0);
    ASSERT_EQ(assay_add_write(build, 7, client), 0);
    ASSERT_EQ(assay_end(build, ASSAY_COMMITTED), 0);
  }
  assay_history* history = assay_finish(build);
  ASSERT_NE(history, nullptr) << assay_error();
  EXPECT_EQ(assay_transactions(history), 2U);
  assay_report* violated = assay_check(history, "si", 0);
  assay_report* holds = assay_check(history, "causal", 10);
  EXPECT_EQ(assay_report_verdict(violated), ASSAY_VIOLATED);
  EXPECT_EQ(assay_report_verdict(holds), ASSAY_HOLDS);
  EXPECT_NE(std::string(assay_report_text(violated)).find("violated"), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(assay_report_json(holds))["strongest"], "causal");
  assay_report_free(violated);
  assay_report_free(holds);
  assay_history_free(history);
  assay_builder_free(build);
}

TEST(PublicCApi, FailuresAreReturnedNotThrown) {
  EXPECT_EQ(assay_read("no/such/file", nullptr), nullptr);
  EXPECT_NE(std::string(assay_error()).find("no/such/file"), std::string::npos) << assay_error();
  EXPECT_EQ(assay_read(nullptr, nullptr), nullptr);
  EXPECT_EQ(assay_check(nullptr, "si", 0), nullptr);
  EXPECT_EQ(assay_begin(nullptr, 1, 1), -1);
  assay_builder* build = assay_builder_new();
  EXPECT_STREQ(assay_error(), "") << "a success wipes the last error";
  EXPECT_EQ(assay_end(build, ASSAY_COMMITTED), -1);
  EXPECT_STREQ(assay_error(), "end: no transaction is open");
  EXPECT_EQ(assay_begin(build, 1, 1), 0);
  EXPECT_EQ(assay_finish(build), nullptr);
  EXPECT_EQ(assay_add_read_text(build, "x", nullptr), -1);
  const assay_value nothing = assay_nothing(), x = assay_text("x");
  assay_value strange = assay_integer(1);
  strange.kind = 77;
  EXPECT_EQ(assay_add(build, ASSAY_WRITE, &x, nullptr), -1) << "a write needs a value";
  EXPECT_EQ(assay_add(build, ASSAY_WRITE, &x, &nothing), -1);
  EXPECT_EQ(assay_add(build, ASSAY_WRITE, &x, &strange), -1);
  EXPECT_STREQ(assay_error(), "value is of the unknown kind 77");
  EXPECT_EQ(assay_add(build, static_cast<assay_operation>(7), &x, &x), -1);
  EXPECT_EQ(assay_add_list_read(build, &x, nullptr, 1), -1);
  EXPECT_EQ(assay_add_range_read(build, nullptr, nullptr, nullptr, 1), -1);
  EXPECT_EQ(assay_end(build, static_cast<assay_fate>(3)), -1);
  EXPECT_EQ(assay_end_at(build, ASSAY_COMMITTED, 2, 1), -1) << "it ends before it starts";
  EXPECT_EQ(assay_end_at(build, ASSAY_ABORTED, 1, 2), 0) << "nothing of that has changed anything";
  assay_history* history = assay_finish(build);
  EXPECT_EQ(assay_check(history, "acid", 0), nullptr);
  EXPECT_EQ(assay_check(history, nullptr, 0), nullptr);
  EXPECT_EQ(assay_check(history, "si", -1), nullptr);
  EXPECT_EQ(assay_operations(history), 0U);
  EXPECT_EQ(assay_check_levels(history, nullptr, 1, nullptr), nullptr);
  EXPECT_EQ(assay_verify(history, nullptr, 0), nullptr);
  assay_report* report = assay_check(history, "si", 0);
  EXPECT_EQ(assay_report_explanation(report, 1), nullptr);
  EXPECT_EQ(assay_report_certificate(report, 1), nullptr);
  EXPECT_EQ(assay_report_level(report, 1), nullptr);
  assay_report_free(report);
  EXPECT_EQ(assay_report_verdict(nullptr), ASSAY_UNDECIDED) << "never holds";
  EXPECT_EQ(assay_round_verdict(nullptr), ASSAY_UNDECIDED);
  EXPECT_EQ(assay_level_name(assay_levels()), nullptr);
  assay_history_free(history);
  assay_builder_free(build);
  assay_builder_free(nullptr);
  assay_history_free(nullptr);
  assay_report_free(nullptr);
}

}  // namespace
}  // namespace assay::api
