// The whole story: a forum on php-fpm with the recorder, visitors, then the audit in a worker that has no
// database.
#include <gtest/gtest.h>

#include <algorithm>

#include "audit/draft.hpp"
#include "audit/tamper.hpp"
#include "audited.hpp"
#include "recording.hpp"
#include "server.hpp"
#include "trace_writer.hpp"

namespace assay::php::testing {
namespace {

TEST(PhpAudit, AnHonestForumIsAccepted) {
  Recording recording;
  recording.visit(3, 6, 50);
  const audit::Trace trace("trace", recording.trace.bytes());
  const audit::Reports reports = audit::Reports::read_folder(recording.php.reports());
  const audit::Verdict verdict = recording.check(trace, reports);
  EXPECT_EQ(verdict.decision, audit::Decision::accepted) << told(verdict);
}

// What each lie of `assay audit tamper` must come to. One visitor, for of requests that overlap another order
// may be just as true.
TEST(PhpAudit, EveryLieIsRejected) {
  Recording recording;
  recording.visit(2, 1, 100);
  const audit::Trace honest_trace("trace", recording.trace.bytes());
  const audit::Reports honest_reports = audit::Reports::read_folder(recording.php.reports());
  ASSERT_EQ(recording.check(honest_trace, honest_reports).decision, audit::Decision::accepted);
  std::size_t planted = 0;
  for (const audit::Lie& lie : audit::lies()) {
    audit::Draft draft(honest_trace, honest_reports);
    if (!lie.plant(draft, 1)) continue;
    ++planted;
    const WrittenDraft written(draft);
    const audit::Verdict verdict = recording.check(written.trace(), written.reports());
    const auto expected = lie.harmless ? audit::Decision::accepted : audit::Decision::rejected;
    EXPECT_EQ(verdict.decision, expected) << lie.name << ": " << told(verdict);
  }
  EXPECT_GT(planted, 10U);
}

// The forum keeps its connection in a static variable, which PHP gives back when the program has been left already: a
// server that is killed just there has no close in its log, and that must not end the worker.
TEST(PhpAudit, AServerMayVanishAfterTheProgram) {
  Recording recording;
  recording.visit(1, 1, 10);
  const audit::Trace trace("trace", recording.trace.bytes());
  const audit::Reports honest = audit::Reports::read_folder(recording.php.reports());
  audit::Draft draft(trace, honest);
  const auto close = std::find_if(draft.operations.rbegin(), draft.operations.rend(), [](const auto& done) {
    return done.type == audit::wire::OperationType::sql_close;
  });
  ASSERT_NE(close, draft.operations.rend());
  const std::uint64_t rid = close->rid;
  draft.operations.erase(std::next(close).base());
  for (audit::Count& count : draft.counts) count.operations -= count.rid == rid ? 1 : 0;
  {
    const WrittenDraft written(draft);
    const audit::Verdict verdict = recording.check(trace, written.reports());
    EXPECT_EQ(verdict.decision, audit::Decision::rejected) << "its response is whole: " << told(verdict);
  }
  for (audit::DraftEvent& event : draft.events) {
    if (event.is_response && event.rid == rid) event.end = audit::wire::EndReason::server_gone;
  }
  const WrittenDraft written(draft);
  const audit::Verdict verdict = recording.check(written.trace(), written.reports());
  EXPECT_EQ(verdict.decision, audit::Decision::accepted) << told(verdict);
}

// Scripts of our own, run by php-cgi with the recorder and then again.
struct Replay {
  Response recorded;
  audit::Verdict verdict;
};
Replay replay(const std::string& script, const std::string& query) {
  const PhpFolder php(Recorder::on, "assay.code=" ASSAY_SOURCE_DIR "/tests/php/scripts\n");
  php.run_plain(ASSAY_SOURCE_DIR "/tests/php/scripts/sql_setup.php", php.data());
  const std::string first_state = php.folder() / "first.sqlite";
  std::filesystem::copy_file(php.data() + "/sql.sqlite", first_state);
  Parameters parameters =
      parameters_for(ASSAY_SOURCE_DIR "/tests/php/scripts/" + script, "GET", query, "", 0, 1);
  parameters.emplace_back("FORUM_DATA", php.data());
  TraceWriter writer;
  writer.request(1, parameters, "");
  Replay result;
  result.recorded = php.once(parameters, "");
  writer.response(1, result.recorded);
  const audit::Trace trace("trace", writer.bytes());
  const audit::Reports reports = audit::Reports::read_folder(php.reports());
  audit::PhpWorkerOptions options;
  options.sapi = "cgi-fcgi";
  options.seconds_per_request = 3;
  audit::InitialState initial;
  initial.databases[php.data() + "/sql.sqlite"] = first_state;
  result.verdict = audited(php, ASSAY_SOURCE_DIR "/tests/php/scripts", trace, reports, initial, options);
  return result;
}

TEST(PhpAudit, EverythingThatPdoCanDoIsRunAgain) {
  for (int seed = 1; seed <= 6; ++seed) {
    const Replay result = replay("sql.php", "seed=" + std::to_string(seed));
    EXPECT_EQ(result.verdict.decision, audit::Decision::accepted)
        << "seed " << seed << ": " << told(result.verdict);
  }
}

TEST(PhpAudit, TheClockChanceAndTheCacheAreRunAgain) {
  for (const auto& [script, query] : {std::pair("outside.php", ""), {"key_value.php", "seed=3"}}) {
    const Replay result = replay(script, query);
    EXPECT_EQ(result.verdict.decision, audit::Decision::accepted) << script << ": " << told(result.verdict);
  }
}

// It is not the server's fault that we cannot do it, so there is no verdict.
TEST(PhpAudit, WhatNobodyCanDoAgainLeavesTheAuditUndecided) {
  for (const std::string how : {"socket", "run", "read", "include", "folder", "object", "about", "stream"}) {
    const Replay result = replay("escape.php", "how=" + how);
    EXPECT_EQ(result.recorded.body, how + " yes");
    EXPECT_EQ(result.verdict.decision, audit::Decision::undecided) << how << ": " << told(result.verdict);
    EXPECT_NE(told(result.verdict).find("was ended: it "), std::string::npos) << told(result.verdict);
  }
}

// Random bytes of a length that nobody asked for would end the program early, just where the liar's response ends.
TEST(PhpAudit, AValueThatCannotBeTheAnswerIsALie) {
  const PhpFolder php(Recorder::on, "assay.code=" ASSAY_SOURCE_DIR "/tests/php/scripts\n");
  const Parameters parameters =
      parameters_for(ASSAY_SOURCE_DIR "/tests/php/scripts/late.php", "GET", "", "", 0, 1);
  TraceWriter writer;
  writer.request(1, parameters, "");
  Response response = php.once(parameters, "");
  ASSERT_EQ(response.body, "AB");
  response.body = "A";
  writer.response(1, response);
  const audit::Trace trace("trace", writer.bytes());
  const audit::Reports honest = audit::Reports::read_folder(php.reports());
  audit::Draft draft(trace, honest);
  for (audit::DraftValue& value : draft.values) {
    if (value.kind == audit::wire::NdKind::random_bytes) value.value.pop_back();
  }
  const WrittenDraft written(draft);
  audit::PhpWorkerOptions options;
  options.sapi = "cgi-fcgi";
  const audit::Verdict verdict =
      audited(php, ASSAY_SOURCE_DIR "/tests/php/scripts", trace, written.reports(), {}, options);
  EXPECT_EQ(verdict.decision, audit::Decision::rejected) << told(verdict);
}

TEST(PhpAudit, AWorkerThatDoesNotEndLeavesTheAuditUndecided) {
  const Replay result = replay("endless.php", "");
  EXPECT_EQ(result.recorded.body, "done");
  EXPECT_EQ(result.verdict.decision, audit::Decision::undecided) << told(result.verdict);
}

}  // namespace
}  // namespace assay::php::testing
