// How a verdict is told: where two responses differ, an operation in words, a cycle with its reasons.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "audit/operation_words.hpp"
#include "audit/tell/difference.hpp"
#include "audit/tell/verdict_json.hpp"
#include "audit/tell/verdict_page.hpp"
#include "audit/tell/verdict_text.hpp"
#include "audit/wire/contents.hpp"
#include "support/json_schema.hpp"

namespace assay::audit {
namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(AuditDifference, IsNoneBetweenEqualTexts) {
  EXPECT_FALSE(first_difference("one\ntwo\n", "one\ntwo\n"));
  EXPECT_FALSE(first_difference("", ""));
}

TEST(AuditDifference, HasItsPlaceAndTheLinesBefore) {
  const auto found = first_difference("a\nb\nc\nsame X same\nend", "a\nb\nc\nsame Y same\nend");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->line, 4U);
  EXPECT_EQ(found->column, 6U);
  EXPECT_EQ(found->before, (std::vector<std::string>{"b", "c"}));
  EXPECT_EQ(found->expected, "same X same");
  EXPECT_EQ(found->found, "same Y same");
  EXPECT_EQ(found->mark, 5U);
}

TEST(AuditDifference, OneTextMayEndFirst) {
  const auto at_end = first_difference("a\nbc", "a\nb");
  ASSERT_TRUE(at_end);
  EXPECT_EQ(at_end->line, 2U);
  EXPECT_EQ(at_end->expected, "bc");
  EXPECT_EQ(at_end->found, "b");
  const auto nothing = first_difference("", "x");
  ASSERT_TRUE(nothing);
  EXPECT_EQ(nothing->line, 1U);
  EXPECT_TRUE(nothing->before.empty());
}

TEST(AuditDifference, ShowsOnlyThePartOfALongLineAndNoHalfCharacters) {
  const std::string same(100'000, 'x');
  const auto found = first_difference(same + "é" + same, same + "è" + same);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->column, 100'001U);
  EXPECT_LT(found->expected.size(), 200U);
  EXPECT_TRUE(contains(found->expected, "é")) << found->expected;
  EXPECT_TRUE(contains(found->found, "è")) << found->found;
  EXPECT_TRUE(found->expected.starts_with("…"));
}

TEST(AuditDifference, LetsNoControlSequenceThrough) {
  const auto found = first_difference("\x1b[31mred a", "\x1b[31mred b");
  ASSERT_TRUE(found);
  EXPECT_FALSE(contains(found->expected, "\x1b"));
}

TEST(AuditOperationWords, TellStatementsWithTheirParameters) {
  wire::SqlParameter number, name;
  number.index = 1;
  number.value.type = wire::SqlType::integer;
  number.value.integer = -7;
  name.name = ":name";
  name.value.type = wire::SqlType::text;
  name.value.bytes = "river";
  const std::string words =
      operation_words(wire::OperationType::sql_statement,
                      wire::sql_statement(2, "SELECT ? WHERE name = :name", {number, name}));
  EXPECT_EQ(words, "run on connection 2:\nSELECT ? WHERE name = :name\n?1 = -7\n:name = 'river'");
}

TEST(AuditOperationWords, TellTheOtherObjects) {
  using wire::OperationType;
  EXPECT_EQ(operation_words(OperationType::kv_fetch, wire::kv_keys(5, {"a", "b"})), "at 5, fetch\na\nb");
  EXPECT_EQ(operation_words(OperationType::kv_inc, wire::kv_inc(5, 60, "n", 1)),
            "at 5, add 1 to\nn for 60 s");
  EXPECT_EQ(operation_words(OperationType::register_write, "x|i:1;"), "write the session:\nx|i:1;");
  EXPECT_EQ(operation_words(OperationType::lock_acquire,
                            wire::lock_acquire("/a.lock", 1, wire::LockMode::exclusive, false)),
            "lock /a.lock (file 1), exclusive, without waiting");
}

TEST(AuditOperationWords, SayThatBytesCannotBeRead) {
  EXPECT_TRUE(
      contains(operation_words(wire::OperationType::sql_statement, "\xff\xff\xff"), "cannot be read"));
  EXPECT_TRUE(contains(operation_words(wire::OperationType::kv_clear, "more"), "cannot be read"));
}

Verdict cyclic() {
  Verdict verdict;
  verdict.decision = Decision::rejected;
  verdict.requests = 2;
  verdict.involved = {{1, "GET /a", 10}, {2, "POST /b\x1b[2J", 20}};
  Finding finding;
  finding.reason = Reason::cycle;
  finding.sentence = "the operations cannot have happened in any order";
  const Moment arrival{2, Moment::Kind::arrival, 0}, one{2, Moment::Kind::operation, 1},
      other{1, Moment::Kind::operation, 3}, departure{1, Moment::Kind::departure, 0};
  finding.cycle = {{arrival, one, Precedence::Kind::program, ""},
                   {one, other, Precedence::Kind::log, "the database /x"},
                   {other, departure, Precedence::Kind::program, ""},
                   {departure, arrival, Precedence::Kind::time, ""}};
  verdict.finding = finding;
  return verdict;
}

TEST(AuditVerdictText, TellsACycleStepByStep) {
  const std::string text = verdict_text(cyclic(), false);
  EXPECT_TRUE(contains(text, "rejected   cycle\n")) << text;
  EXPECT_TRUE(contains(text, "2. operation 1 of request 2 (POST /b")) << text;
  EXPECT_TRUE(
      contains(text, "is before operation 3 of request 1 (GET /a): so says the log of the database /x"))
      << text;
  EXPECT_TRUE(contains(text, "is before the arrival of request 2")) << text;
  EXPECT_FALSE(contains(text, "\x1b")) << text;
  EXPECT_TRUE(contains(verdict_text(cyclic(), true), "\x1b[31mrejected"));
}

TEST(AuditVerdictText, CountsWhatTheServerSaysItDidNotDo) {
  Verdict verdict;
  verdict.not_performed = 3;
  verdict.not_whole = 2;
  verdict.notes = {"something was left out"};
  const std::string text = verdict_text(verdict, false);
  EXPECT_TRUE(contains(text, "accepted   every response")) << text;
  EXPECT_TRUE(contains(text, "3 operations are said not to have been performed")) << text;
  EXPECT_TRUE(contains(text, "2 requests have no whole response")) << text;
  EXPECT_TRUE(contains(text, "note:      something was left out")) << text;
}

TEST(AuditVerdictPage, ShowsBothSidesAndLetsNothingThrough) {
  Verdict differs = cyclic();
  differs.finding->cycle.clear();
  differs.finding->reason = Reason::output_differs;
  differs.finding->expected = "status 200\n\n<b>right</b>";
  differs.finding->found = "status 200\n\n<b>wrong<script>alert(1)</script>";
  differs.arrivals = {1, 0, 3};
  differs.trace_seconds = 2;
  const std::string page = verdict_page(differs);
  EXPECT_TRUE(contains(page, "<h1>Rejected</h1>")) << page;
  EXPECT_TRUE(contains(page, "&lt;b&gt;<mark>right&lt;/b&gt;</mark>")) << page;
  EXPECT_TRUE(contains(page, "&lt;b&gt;<mark>wrong&lt;script&gt;alert(1)&lt;/script&gt;</mark>")) << page;
  EXPECT_FALSE(contains(page, "<script")) << page;
  EXPECT_TRUE(contains(page, "2 requests over 2.0 seconds")) << page;
  const std::string cycle = verdict_page(cyclic());
  EXPECT_TRUE(
      contains(cycle, "is before operation 3 of request 1 (GET /a): so says the log of the database /x"))
      << cycle;
  EXPECT_FALSE(contains(cycle, "\x1b"));
  EXPECT_TRUE(contains(verdict_page(Verdict{}), "<h1>Accepted</h1>"));
}

TEST(AuditVerdictJson, IsAsTheSchemaSays) {
  std::ifstream file(ASSAY_SOURCE_DIR "/docs/json-schema.json");
  const nlohmann::json schema = nlohmann::json::parse(file);
  Verdict differs = cyclic();
  differs.finding->cycle.clear();
  differs.finding->reason = Reason::output_differs;
  differs.finding->rid = 1;
  differs.finding->opnum = 3;
  differs.finding->expected = "status 200\n\nright \xff";
  differs.finding->found = "status 200\n\nwrong";
  for (const Verdict& verdict : {Verdict{}, cyclic(), differs}) {
    const std::string text =
        verdict_json(verdict).dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
    const nlohmann::json object = nlohmann::json::parse(text);
    for (const std::string& error : assay::testing::schema_errors(schema, object)) ADD_FAILURE() << error;
  }
}

}  // namespace
}  // namespace assay::audit
