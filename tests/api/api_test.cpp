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
  EXPECT_STREQ(assay_error(), "commit: no transaction is open");
  EXPECT_EQ(assay_begin(build, 1, 1), 0);
  EXPECT_EQ(assay_finish(build), nullptr);
  EXPECT_EQ(assay_add_read_text(build, "x", nullptr), -1);
  EXPECT_EQ(assay_end_at(build, ASSAY_ABORTED, 1, 2), 0);
  assay_history* history = assay_finish(build);
  EXPECT_EQ(assay_check(history, "acid", 0), nullptr);
  EXPECT_EQ(assay_check(history, nullptr, 0), nullptr);
  EXPECT_EQ(assay_check(history, "si", -1), nullptr);
  assay_history_free(history);
  assay_builder_free(build);
  assay_builder_free(nullptr);
  assay_history_free(nullptr);
  assay_report_free(nullptr);
}

}  // namespace
}  // namespace assay::api
