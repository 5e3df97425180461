// What a verdict sounds like. Most outcomes are made by hand, since reports decide nothing.
#include "report/report.hpp"

#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <nlohmann/json.hpp>

#include "check/check.hpp"
#include "history/builder.hpp"
#include "report/dot.hpp"
#include "report/junit.hpp"
#include "report/sentence.hpp"
#include "support/examined.hpp"
#include "support/json_schema.hpp"
#include "support/random/draw.hpp"

namespace assay::report {
namespace {

using check::BadRead;
using check::Event;
using check::Outcome;
using check::Rule;
using check::Step;
using check::Verdict;
using evidence::Examination;

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

Atom text_atom(std::string_view text) {
  return Atom::string(text);
}

// Two clients add to one counter: s1: r(x)=initial w(x)=1 | s2: r(x)=initial w(x)=2 | s2: r(x)=1
History counter() {
  HistoryBuilder build;
  const Session a = build.session(text_atom("alice"));
  const Session b = build.session(text_atom("bob"));
  build.begin(a, Atom::integer(10));
  build.read_initial(text_atom("x"));
  build.write(text_atom("x"), Atom::integer(1));
  build.end(Status::committed);
  build.begin(b, Atom::integer(20));
  build.read_initial(text_atom("x"));
  build.write(text_atom("x"), Atom::integer(2));
  build.end(Status::committed);
  build.begin(b, Atom::integer(21));
  build.read(text_atom("x"), Atom::integer(1));
  build.end(Status::committed);
  build.source("counter.jsonl", "jsonl");
  build.note("two clients");
  return build.finish();
}

Outcome violated(Level level) {
  Outcome outcome;
  outcome.level = level;
  outcome.verdict = Verdict::violated;
  outcome.method = "saturation";
  return outcome;
}

Outcome lost_update(Level level) {
  Outcome outcome = violated(level);
  outcome.derivation.steps = {{{Txn{0}}, {Txn{1}}, Rule::initial, Key{0}, kInitialTxn, {}},
                              {{Txn{1}}, {Txn{2}}, Rule::session, {}, kInitialTxn, {}},
                              {{Txn{1}}, {Txn{0}}, Rule::initial, Key{0}, kInitialTxn, {}}};
  outcome.derivation.cycle = {0, 2};
  outcome.phases = {{"reads", 0.25, 4096}, {"saturate", 0.5, 8192}};
  outcome.counts = {{"edges", 3}};
  return outcome;
}

nlohmann::json parsed(const Examination& checked) {
  auto parsed = nlohmann::json::parse(json(checked), nullptr, false);
  EXPECT_FALSE(parsed.is_discarded()) << json(checked);
  std::ifstream in(std::string(ASSAY_SOURCE_DIR) + "/docs/json-schema.json");
  for (const std::string& error : testing::schema_errors(nlohmann::json::parse(in), parsed))
    ADD_FAILURE() << error;
  return parsed;
}

TEST(TextReport, TellsACycleStepByStep) {
  const History history = counter();
  const Outcome outcomes[] = {lost_update(Level::snapshot_isolation)};
  const std::string told = text(examined(history, outcomes), {});
  EXPECT_EQ(
      told,
      "counter.jsonl: 3 transactions in 2 sessions, 5 operations on 1 key (jsonl)\n"
      "note: two clients\n"
      "snapshot-isolation  violated\n"
      "\n"
      "Why snapshot-isolation is violated. It promises:\n"
      "  Every transaction reads from one snapshot, and of two that overlap and write the same key only one "
      "commits.\n"
      "The transactions that matter, and what they did:\n"
      "  A = transaction 10 of session alice: r(x)=initial, w(x)=1\n"
      "  B = transaction 20 of session bob: r(x)=initial, w(x)=2\n"
      "What follows:\n"
      "  1. A before B: A read the initial value of key x, and B wrote that key.\n"
      "  2. B before A: B read the initial value of key x, and A wrote that key.\n"
      "The contradiction: A → B → A (by 1, 2).\n");
}

TEST(TextReport, ShowsThePremisesThatTheCycleRestsOn) {
  const History history = counter();
  Outcome outcome = violated(Level::serializable);
  outcome.derivation.steps = {{{Txn{0}}, {Txn{2}}, Rule::reads_from, Key{0}, kInitialTxn, {}},
                              {{Txn{1}}, {Txn{2}}, Rule::session, {}, kInitialTxn, {}},
                              {{Txn{1}}, {Txn{0}}, Rule::overwritten, Key{0}, Txn{2}, {1}},
                              {{Txn{0}}, {Txn{1}}, Rule::initial, Key{0}, kInitialTxn, {}}};
  outcome.derivation.cycle = {2, 3};
  const std::string told = explanation(history, outcome);
  EXPECT_TRUE(contains(told, "1. A before C: both ran in session bob, in this order.\n")) << told;
  EXPECT_TRUE(contains(
      told, "2. A before B: C read 1 of key x, which B wrote; A wrote that key too and A comes before C"))
      << told;
  EXPECT_TRUE(contains(told, "[by 1]")) << told;
  EXPECT_TRUE(contains(told, "The contradiction: A → B → A (by 2, 3).")) << told;
  EXPECT_FALSE(contains(told, "4.")) << "a step that the cycle does not need\n" << told;
}

TEST(TextReport, NamesBeginAndCommitWhereALevelTellsThemApart) {
  const History history = counter();
  Outcome outcome = violated(Level::snapshot_isolation);
  using enum Event::Side;
  outcome.derivation.steps = {
      {{Txn{0}, begin}, {Txn{0}, commit}, Rule::program, {}, kInitialTxn, {}},
      {{Txn{0}, commit}, {Txn{1}, begin}, Rule::first_committer, Key{0}, kInitialTxn, {}},
      {{Txn{1}, begin}, {Txn{0}, begin}, Rule::real_time, {}, kInitialTxn, {}}};
  outcome.derivation.cycle = {0, 1, 2};
  const std::string told = explanation(history, outcome);
  EXPECT_TRUE(contains(told, "A's commit before B's begin: both wrote key x")) << told;
  EXPECT_TRUE(contains(told, "A's begin → A's commit → B's begin → A's begin")) << told;
}

TEST(TextReport, EveryRuleHasItsSentence) {
  const History history = counter();
  for (std::uint8_t rule = 0; rule <= static_cast<std::uint8_t>(Rule::decision); ++rule) {
    const Step step{{Txn{0}}, {Txn{1}}, Rule{rule}, Key{0}, Txn{2}, {}};
    EXPECT_NE(reason(history, step, [&](Txn t) { return full_name(history, t); }), "") << int{rule};
  }
}

TEST(TextReport, TheInitialStateCanBePartOfACycle) {
  const History history = counter();
  Outcome outcome = violated(Level::causal);
  outcome.derivation.steps = {{{kInitialTxn}, {Txn{0}}, Rule::initial, {}, kInitialTxn, {}},
                              {{Txn{0}}, {kInitialTxn}, Rule::axiom, Key{0}, Txn{1}, {}}};
  outcome.derivation.cycle = {0, 1};
  const std::string told = explanation(history, outcome);
  EXPECT_TRUE(contains(told, "the initial state before A: the initial state comes before everything."))
      << told;
  EXPECT_TRUE(contains(told, "A before the initial state: B read the initial value of key x;")) << told;
  const Outcome outcomes[] = {outcome};
  const auto steps = parsed(examined(history, outcomes))["results"][0]["counterexample"]["steps"];
  EXPECT_EQ(steps[0]["from"], nullptr);
  EXPECT_FALSE(steps[0].contains("key"));
}

TEST(TextReport, EveryBadReadHasItsSentence) {
  const History history = counter();
  for (std::uint8_t kind = 0; kind <= static_cast<std::uint8_t>(BadRead::Kind::incompatible_order); ++kind) {
    for (const Op write : {Op{1}, Op{4}}) {
      const std::string told = sentence(history, {BadRead::Kind{kind}, Txn{2}, Op{4}, write});
      EXPECT_TRUE(told.starts_with("transaction 21 of session bob read 1 of key x, ")) << told;
      EXPECT_EQ(told.back(), '.');
    }
  }
  EXPECT_EQ(sentence(history, {BadRead::Kind::aborted, Txn{2}, Op{4}, Op{1}}),
            "transaction 21 of session bob read 1 of key x, but that was written by transaction 10 of "
            "session alice "
            "(w(x)=1), which aborted.");
}

TEST(TextReport, EvidenceIsShownOnceForTheWeakestViolatedLevel) {
  const History history = counter();
  Outcome weak;
  weak.level = Level::causal;
  weak.verdict = Verdict::holds;
  const Outcome outcomes[] = {weak, lost_update(Level::snapshot_isolation), lost_update(Level::serializable)};
  const std::string told = text(examined(history, outcomes), {.strongest = true});
  EXPECT_TRUE(contains(told, "serializable        violated, since snapshot-isolation is\n")) << told;
  EXPECT_EQ(told.find("The contradiction"), told.rfind("The contradiction")) << told;
}

TEST(TextReport, BadReadsAreToldOnceForAllLevels) {
  const History history = counter();
  Outcome rc = violated(Level::read_committed);
  rc.bad_reads = {{BadRead::Kind::thin_air, Txn{2}, Op{4}, Op{4}}};
  Outcome rr = rc;
  rr.level = Level::repeatable_read;
  const Outcome outcomes[] = {rc, rr};
  const std::string told = text(examined(history, outcomes), {});
  EXPECT_EQ(told.find("nobody ever wrote"), told.rfind("nobody ever wrote")) << told;
  EXPECT_TRUE(contains(told, "No level allows this read:\n")) << told;
}

TEST(TextReport, ManyBadReadsAreCounted) {
  const History history = counter();
  Outcome outcome = violated(Level::read_committed);
  outcome.bad_reads.assign(25, {BadRead::Kind::thin_air, Txn{2}, Op{4}, Op{4}});
  EXPECT_TRUE(contains(explanation(history, outcome), "… and 15 more"));
}

TEST(TextReport, AViolationWithoutADerivationSaysWhoFoundIt) {
  const History history = counter();
  EXPECT_TRUE(contains(explanation(history, violated(Level::serializable)), "found by saturation"));
}

// What a time limit leaves unexplained is told by what was found first.
TEST(TextReport, AnOrderOfAListsElementsIsToldByTheReadThatShowsIt) {
  const History history = draw(
      "a: a(x,1) a(y,1)\n"
      "b: a(x,2) a(y,2)\n"
      "c: l(x,[1,2]) l(y,[2,1])");
  for (const Level level : {Level::read_committed, Level::causal, Level::serializable}) {
    const Outcome outcome = check::check(history, std::array{level}).front();
    ASSERT_EQ(outcome.verdict, Verdict::violated);
    EXPECT_TRUE(contains(explanation(history, outcome, std::nullopt), "read [1,2] of key x"))
        << info(level).name;
  }
}

TEST(TextReport, UndecidedComesWithItsReason) {
  const History history = counter();
  Outcome outcome;
  outcome.level = Level::prefix;
  outcome.reason = "the time limit was reached";
  const Outcome outcomes[] = {outcome};
  EXPECT_TRUE(
      contains(text(examined(history, outcomes), {}), "prefix  undecided: the time limit was reached\n"));
}

TEST(TextReport, StatisticsShowPhasesAndCounts) {
  const History history = counter();
  const Outcome outcomes[] = {lost_update(Level::serializable)};
  Examination found = examined(history, outcomes);
  found.read_seconds = 1.5;
  found.check_seconds = 0.75;
  const std::string told = text(found, {.statistics = true});
  EXPECT_TRUE(contains(told, "read in 1.50 s, decided in 0.75 s")) << told;
  EXPECT_TRUE(contains(told, "decided by saturation")) << told;
  EXPECT_TRUE(contains(told, "saturate")) << told;
  EXPECT_TRUE(contains(told, "edges")) << told;
}

TEST(TextReport, HostileTextsAreMadeHarmless) {
  HistoryBuilder build;
  build.begin(build.session(text_atom("\x1b[31m")), text_atom("a b"));
  build.read(text_atom("k\xC2\x9Bm\xFF"), text_atom(std::string(500, 'v')));
  build.end(Status::committed);
  build.source("evil\n.jsonl", "jsonl");
  const History history = build.finish();
  Outcome outcome = violated(Level::read_committed);
  outcome.bad_reads = {{BadRead::Kind::thin_air, Txn{0}, Op{0}, Op{0}}};
  const Outcome outcomes[] = {outcome};
  const std::string told = text(examined(history, outcomes), {});
  EXPECT_EQ(told.find('\x1b'), std::string::npos);
  EXPECT_TRUE(contains(told, "evil\\n.jsonl")) << told;
  EXPECT_TRUE(contains(told, "k\\x9bm\xEF\xBF\xBD")) << told;
  EXPECT_TRUE(contains(told, "transaction \"a b\" of session \\x1b[31m") ||
              contains(told, "transaction \"a b\" of session \"\\x1b[31m\""))
      << told;
  EXPECT_FALSE(contains(told, std::string(100, 'v'))) << "long values are cut";
}

TEST(JsonReport, CarriesTheCycleWithTheInputsIds) {
  const History history = counter();
  const Outcome outcomes[] = {lost_update(Level::snapshot_isolation)};
  Examination found = examined(history, outcomes);
  found.sessions = check::SessionOrder::ignore;
  const auto object = parsed(found);
  EXPECT_EQ(object["history"]["notes"][0], "two clients");
  EXPECT_EQ(object["session_order"], "ignore");
  EXPECT_EQ(object["strongest"], nullptr);
  const auto& result = object["results"][0];
  EXPECT_EQ(result["seconds"], 0.75);
  const auto& step = result["counterexample"]["steps"][2];
  EXPECT_EQ(step["from"]["session"], "bob");
  EXPECT_EQ(step["from"]["transaction"], 20);
  EXPECT_EQ(step["key"], "x");
  EXPECT_TRUE(contains(step["reason"], "transaction 20 of session bob read the initial value")) << step;
  EXPECT_EQ(result["counterexample"]["cycle"], nlohmann::json({0, 2}));
  EXPECT_EQ(object["stats"]["levels"][0]["counts"]["edges"], 3);
}

// Which of two equal writes a read saw is open: each possibility is a case, and each ends in a contradiction.
const char* const kOpenRead = "a: r(z,1) w(x,1)\nb: r(z,1) w(x,1)\nc: r(x,1) w(z,1)";

TEST(TextReport, TellsCasesOneByOne) {
  const History history = draw(kOpenRead);
  const std::array<Level, 1> levels{Level::serializable};
  const std::string told = text(evidence::examine(borrowed(history), levels, {}), {});
  EXPECT_TRUE(contains(
      told, "One of these must have been, and each is impossible:\nCase 1: T2 read key x from T0.\n"))
      << told;
  EXPECT_TRUE(contains(told, "Case 2: T2 read key x from T1.\n")) << told;
  EXPECT_TRUE(contains(told, "each way in which it can have been ends in a contradiction")) << told;
  EXPECT_EQ(told.find("The transactions that matter"), told.rfind("The transactions that matter")) << told;
}

TEST(JsonReport, CasesFollowTheSchema) {
  const History history = draw(kOpenRead);
  const std::array<Level, 1> levels{Level::serializable};
  const auto result = parsed(evidence::examine(borrowed(history), levels, {}))["results"][0];
  const auto& found = result["counterexample"];
  EXPECT_EQ(found["kind"], "cases");
  ASSERT_EQ(found["cases"].size(), 2U);
  for (const auto& one : found["cases"]) {
    EXPECT_EQ(one["assumption"]["rule"], "decision");
    EXPECT_EQ(one["leads_to"]["kind"], "cycle");
  }
  EXPECT_EQ(found["transactions"].size(), 3U);
}

TEST(JsonReport, SurvivesBytesThatAreNotText) {
  HistoryBuilder build;
  build.begin(build.session(text_atom("\xFF")), Atom::natural(UINT64_MAX));
  build.read(text_atom("\xC3("), Atom::json("{\"a\":[1.5]}"));
  build.read(text_atom("y"), Atom::json("not json"));
  build.end(Status::committed);
  const History history = build.finish();
  Outcome outcome = violated(Level::read_committed);
  outcome.bad_reads = {{BadRead::Kind::thin_air, Txn{0}, Op{0}, Op{0}},
                       {BadRead::Kind::thin_air, Txn{0}, Op{1}, Op{1}}};
  const Outcome outcomes[] = {outcome};
  const auto reads = parsed(examined(history, outcomes))["results"][0]["counterexample"]["reads"];
  EXPECT_EQ(reads[0]["read"]["session"], "\xEF\xBF\xBD");
  EXPECT_EQ(reads[0]["read"]["transaction"].get<std::uint64_t>(), UINT64_MAX);
  EXPECT_EQ(reads[0]["value"]["a"][0], 1.5);
  EXPECT_EQ(reads[1]["value"], "not json");
}

// A store that lost everything: each report shows the first reads and counts the others.
TEST(Reports, AreBoundedWhereThousandsOfReadsAreBad) {
  HistoryBuilder build;
  Outcome outcome = violated(Level::read_committed);
  build.begin(build.session(text_atom("a")), Atom::integer(1));
  for (std::uint32_t i = 0; i < 5000; ++i) {
    build.read(text_atom("x"), Atom::integer(i));
    outcome.bad_reads.push_back({BadRead::Kind::thin_air, Txn{0}, Op{i}, Op{i}});
  }
  build.end(Status::committed);
  const History history = build.finish();
  const Outcome outcomes[] = {outcome};
  const Examination checked = examined(history, outcomes);
  const auto found = parsed(checked)["results"][0]["counterexample"];
  EXPECT_EQ(found["reads"].size(), 100U);
  EXPECT_EQ(found["reads"][99]["value"], 99);
  EXPECT_EQ(found["total"], 5000);
  EXPECT_TRUE(contains(text(checked, {}), "… and 4990 more (the JSON report lists the first 100)"))
      << text(checked, {});
  constexpr std::size_t kMuch = 20'000;
  EXPECT_LT(text(checked, {}).size(), kMuch);
  EXPECT_LT(dot(checked).size(), kMuch);
  EXPECT_LT(junit(checked).size(), kMuch);
  EXPECT_LT(annotations(checked).size(), kMuch);
}

TEST(Statistics, CountWhatTheHistoryHolds) {
  HistoryBuilder build;
  const Session a = build.session(text_atom("a"));
  const Session b = build.session(text_atom("b"));
  build.begin(a, Atom::integer(1));
  build.write(text_atom("x"), Atom::integer(1));
  build.write(text_atom("x"), Atom::integer(1));
  build.read_initial(text_atom("y"));
  build.end(Status::committed, 0, 100);
  build.begin(b, Atom::integer(2));
  build.write(text_atom("x"), Atom::integer(1));
  build.end(Status::unknown, 50, 150);
  build.begin(b, Atom::integer(3));
  build.read(text_atom("x"), Atom::integer(1));
  build.end(Status::aborted, 160, 200);
  const History history = build.finish();
  const Statistics s = summarise(history);
  EXPECT_EQ(s.committed, 1U);
  EXPECT_EQ(s.unknown, 1U);
  EXPECT_EQ(s.aborted, 1U);
  EXPECT_EQ(s.longest_session, 2U);
  EXPECT_EQ(s.most_operations, 3U);
  EXPECT_EQ(s.versions, 1U);
  EXPECT_EQ(s.repeated_values, 1U);
  EXPECT_EQ(s.ambiguous_reads, 1U);
  EXPECT_EQ(s.reads_of_initial, 1U);
  ASSERT_EQ(s.hot_keys.size(), 2U);
  EXPECT_EQ(s.hot_keys[0].operations, 4U);
  EXPECT_DOUBLE_EQ(s.hot_keys[0].share, 0.8);
  ASSERT_TRUE(s.concurrency);
  EXPECT_EQ(s.concurrency->most, 2U);
  EXPECT_EQ(s.concurrency->span_nanoseconds, 200U);
  EXPECT_DOUBLE_EQ(s.concurrency->mean, 240.0 / 200.0);
}

TEST(Statistics, SurviveExtremeTimesAndEmptyHistories) {
  HistoryBuilder build;
  const Session a = build.session(text_atom("a"));
  build.begin(a, Atom::integer(1));
  build.end(Status::committed, INT64_MIN + 1, INT64_MAX);
  build.begin(a, Atom::integer(2));
  build.end(Status::committed, 10, 5);
  const Statistics s = summarise(build.finish());
  ASSERT_TRUE(s.concurrency);
  EXPECT_EQ(s.concurrency->transactions, 1U) << "one that ends before it starts tells nothing";
  EXPECT_EQ(s.concurrency->span_nanoseconds, UINT64_MAX - 1);
  const History none = HistoryBuilder().finish();
  EXPECT_FALSE(summarise(none).concurrency);
  EXPECT_TRUE(contains(text(none, summarise(none)), "0 committed"));
}

}  // namespace
}  // namespace assay::report
