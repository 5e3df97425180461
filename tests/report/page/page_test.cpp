// The HTML page as text: what is in its data, that nothing of the input can leave it, and that it stays
// small. tests/browser/ opens it in a browser.
#include "report/page/page.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "check/check.hpp"
#include "history/builder.hpp"
#include "report/page/data.hpp"
#include "support/examined.hpp"
#include "support/random/draw.hpp"

namespace assay::report {
namespace {

using check::Outcome;
using check::Verdict;
using nlohmann::json;

constexpr std::string_view kOpening = "<script type=\"application/json\" id=\"data\">";

std::string data_of(const std::string& page) {
  const std::size_t begin = page.find(kOpening) + kOpening.size();
  return page.substr(begin, page.find("</script>", begin) - begin);
}

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

std::string page_of(const History& history, std::vector<Level> levels) {
  const std::vector<Outcome> outcomes = check::check(history, levels);
  return html(examined(history, outcomes));
}

TEST(HtmlReport, CarriesTheTransactionsOfTheCycleAndTheirNeighbours) {
  const History history = draw(
      "a: w(q,1) | w(q,2) | w(q,3) | w(q,4) | w(q,5) | r(x,0) w(x,1)\n"
      "b: r(x,0) w(x,2) | w(q,9)\n"
      "c: w(q,8)");
  const json data = json::parse(data_of(page_of(history, {Level::snapshot_isolation})));
  EXPECT_EQ(data["levels"][0]["verdict"], "violated");
  ASSERT_EQ(data["stories"].size(), 1U);
  const json& story = data["stories"][0];
  EXPECT_EQ(story["cast"].size(), 2U);
  std::size_t involved = 0;
  for (const json& txn : data["transactions"]) involved += txn["involved"] == true;
  EXPECT_EQ(involved, 2U);
  EXPECT_EQ(data["transactions"].size(), 6U) << "three before A in its session, one after B, A and B";
  EXPECT_EQ(data["sessions"].size(), 2U) << "c has no part in it";
  const json& scene = story["scenes"][0];
  EXPECT_GE(scene["cycle"].size(), 2U);
  for (const json& number : scene["cycle"])
    EXPECT_EQ(scene["steps"][number.get<std::size_t>() - 1]["number"], number);
}

TEST(HtmlReport, CasesAreScenesOfTheirOwn) {
  const History history = draw("a: r(x,0) w(x,1)\nb: r(x,0) w(x,2)");
  const check::Step forth{{Txn{0}}, {Txn{1}}, check::Rule::initial, Key{0}, kInitialTxn, {}};
  const check::Step back{{Txn{1}}, {Txn{0}}, check::Rule::initial, Key{0}, kInitialTxn, {}};
  Outcome outcome;
  outcome.level = Level::serializable;
  outcome.verdict = Verdict::violated;
  for (const auto& assumed : {forth, back}) {
    check::Step decision = assumed;
    decision.rule = check::Rule::decision;
    check::Derivation inside;
    inside.steps = {forth, back};
    inside.cycle = {0, 1};
    outcome.derivation.cases.push_back({decision, inside});
  }
  const json story = json::parse(page_data(examined(history, {&outcome, 1}), {}))["stories"][0];
  ASSERT_EQ(story["scenes"].size(), 2U);
  EXPECT_EQ(story["scenes"][0]["assumptions"][0], "A wrote key x before B did");
  EXPECT_EQ(story["scenes"][1]["assumptions"][0], "B wrote key x before A did");
}

TEST(HtmlReport, NothingOfTheInputCanLeaveItsPlace) {
  const std::string evil = "</script><script>alert(1)</script><!-- ]]> @SCRIPT@ @STYLE@ \"'&";
  HistoryBuilder build;
  for (const int session : {1, 2}) {
    build.begin(build.session(Atom::string(evil + std::to_string(session))), Atom::string(evil));
    build.read_initial(Atom::string(evil));
    build.write(Atom::string(evil), Atom::string(evil + std::string(1, static_cast<char>(session)) + "\xFF"));
    build.end(Status::committed);
  }
  build.source(evil, "jsonl");
  build.note(evil);
  const std::string page = page_of(build.finish(), {Level::serializable});
  EXPECT_EQ(count(page, "<script"), 2U);
  EXPECT_EQ(count(page, "</script"), 2U);
  EXPECT_EQ(data_of(page).find('<'), std::string::npos);
  EXPECT_EQ(json::parse(data_of(page))["history"]["notes"][0], evil);
  EXPECT_EQ(page.find("http://"), page.find("http://www.w3.org/2000/svg")) << "only the name of a namespace";
  EXPECT_EQ(page.find("https://"), std::string::npos);
}

// Many sessions that all take part, with keys and values as large as they come.
TEST(HtmlReport, StaysSmallWhateverTheInput) {
  HistoryBuilder build;
  const std::string huge(3000, '\x01');
  Outcome outcome;
  outcome.level = Level::serializable;
  outcome.verdict = Verdict::violated;
  constexpr std::uint32_t kTransactions = 3000;
  for (std::uint32_t i = 0; i < kTransactions; ++i) {
    build.begin(build.session(Atom::string(std::to_string(i % 500) + huge)), Atom::string(huge));
    for (std::uint32_t k = 0; k < 50; ++k) {
      build.read_initial(Atom::string(huge + std::to_string(k)));
      build.write(Atom::string(huge + std::to_string(k)), Atom::string(std::to_string(i) + huge));
    }
    build.end(Status::committed, i, i + 5);
  }
  for (int n = 0; n < 100; ++n) build.note(huge);
  build.source(huge, huge);
  const History history = build.finish();
  for (std::uint32_t i = 0; i < kTransactions; ++i) {
    outcome.derivation.steps.push_back(
        {{Txn{i}}, {Txn{(i + 1) % kTransactions}}, check::Rule::initial, Key{i % 50}, kInitialTxn, {}});
    outcome.derivation.cycle.push_back(i);
  }
  const std::string page = html(examined(history, {&outcome, 1}));
  EXPECT_LT(page.size(), kLargestPage);
  const json story = json::parse(data_of(page))["stories"][0];
  EXPECT_GT(story["scenes"][0]["leftOut"], 2900);
  EXPECT_FALSE(story["cast"].empty());
}

TEST(HtmlReport, AHundredThousandTransactionsMakeASmallPage) {
  HistoryBuilder build;
  std::vector<Session> sessions;
  for (int s = 0; s < 20; ++s) sessions.push_back(build.session(Atom::integer(s)));
  Outcome outcome;
  outcome.level = Level::serializable;
  outcome.verdict = Verdict::holds;
  for (std::uint32_t i = 0; i < 100'000; ++i) {
    build.begin(sessions[i % sessions.size()], Atom::integer(i));
    build.write(Atom::integer(i % 1000), Atom::integer(i));
    build.end(Status::committed, i * 10, i * 10 + 95);
    outcome.order.push_back({Txn{i}});
  }
  const History history = build.finish();
  const std::string page = html(examined(history, {&outcome, 1}));
  EXPECT_LT(page.size(), 200'000U);
  const json data = json::parse(data_of(page));
  EXPECT_EQ(data["running"]["mean"].size(), 160U);
  EXPECT_NEAR(data["running"]["mean"][80].get<double>(), 9.5, 0.1);
  EXPECT_EQ(data["statistics"]["hotKeys"].size(), 10U);
  EXPECT_GT(data["commitOrder"]["count"], 0) << "session by session is not the order of the clock";
}

TEST(HtmlReport, SurvivesAnEmptyHistory) {
  const History history = HistoryBuilder().finish();
  const json data = json::parse(data_of(page_of(history, {Level::serializable})));
  EXPECT_EQ(data["levels"][0]["verdict"], "holds");
  EXPECT_EQ(data["running"], nullptr);
}

}  // namespace
}  // namespace assay::report
