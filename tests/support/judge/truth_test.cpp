// The judge of sentences is itself judged: it must understand what reports say, and see through every lie.
#include "support/judge/truth.hpp"

#include <gtest/gtest.h>

#include <array>

#include "evidence/examine.hpp"
#include "history/builder.hpp"
#include "report/report.hpp"
#include "support/examined.hpp"
#include "support/judge/belief_truth.hpp"
#include "support/judge/sentence_forms.hpp"
#include "support/random/draw.hpp"

namespace assay {
namespace {

// A transaction appends to two lists; another reads them, and its successor misses what it saw.
const char* const kLists =
    "a: a(x,1) | a(x,2) a(y,5)\n"
    "b: l(x,[1,2]) | l(x,[1]) w(z,3)\n"
    "c: r(z,3) l(y,[]) w(z,4)\n";
// A lost update of registers.
const char* const kRegisters = "a: w(x,4)\nb: r(x,4) w(x,5)\nc: r(x,4) w(x,6)\nd: @1-2 d(x) | @3-4 r(x,0)\n";

Told saying(const History& h, std::string sentence) {
  Told told;
  told.where = "test";
  for (const Txn t : h.all_transactions()) told.names.emplace("T" + to_string(h.name(t)), t);
  told.sentences.push_back(std::move(sentence));
  return told;
}

// A circle in which the first comes before the second by the first reason, and so on.
Told stepping(const History& h, const std::vector<ToldStep>& steps) {
  Told told = saying(h, "");
  told.sentences.clear();
  ToldScene& scene = told.scenes.emplace_back();
  scene.steps = steps;
  return told;
}

bool believes(const History& h, const ToldStep& step) {
  return untrue(h, stepping(h, {step})).empty();
}

TEST(Truth, BelievesStepsThatAreSo) {
  const History h = draw(kLists);
  EXPECT_TRUE(believes(h, {{"T0"}, {"T1"}, "both ran in session a, in this order", {}}));
  EXPECT_TRUE(believes(h, {{"T1"}, {"T2"}, "T2 read [1,2] of key x, with the 2 that T1 appended", {}}));
  EXPECT_TRUE(believes(h, {{"T3"}, {"T1"}, "T3 read [1] of key x, without the 2 that T1 appended", {}}));
  EXPECT_TRUE(believes(h, {{"T3"}, {"T4"}, "T4 read 3 of key z, which T3 wrote", {}}));
  EXPECT_TRUE(believes(
      h,
      {{"T0"}, {"T1"}, "T2 read [1,2] of key x, with the 1 that T0 appended before the 2 that T1 did", {}}));
}

TEST(Truth, SeesThroughLies) {
  const History h = draw(kLists);
  EXPECT_FALSE(believes(h, {{"T1"}, {"T0"}, "both ran in session a, in this order", {}}))
      << "the other way round";
  EXPECT_FALSE(believes(h, {{"T0"}, {"T1"}, "both ran in session b, in this order", {}}));
  EXPECT_FALSE(believes(h, {{"T0"}, {"T2"}, "T2 read [1,2] of key x, with the 2 that T0 appended", {}}))
      << "another appended it";
  EXPECT_FALSE(believes(h, {{"T1"}, {"T2"}, "T2 read [2] of key x, with the 2 that T1 appended", {}}))
      << "not what was read";
  EXPECT_FALSE(believes(h, {{"T1"}, {"T3"}, "T3 read [1] of key x, with the 2 that T1 appended", {}}));
  EXPECT_FALSE(believes(h, {{"T2"}, {"T1"}, "T2 read [1,2] of key x, without the 2 that T1 appended", {}}));
  EXPECT_FALSE(believes(h, {{"T3"}, {"T0"}, "T3 read [1] of key x, without the 2 that T0 appended", {}}))
      << "nobody appended that there";
  EXPECT_FALSE(
      believes(h, {{"T3"}, {"T1"}, "T3 read the initial value of key x, without the 2 that T1 appended", {}}))
      << "it read a list";
  EXPECT_FALSE(believes(
      h,
      {{"T1"}, {"T0"}, "T2 read [1,2] of key x, with the 2 that T1 appended before the 1 that T0 did", {}}));
  EXPECT_FALSE(believes(h, {{"T3"}, {"T4"}, "T4 read 4 of key z, which T3 wrote", {}}));
  EXPECT_FALSE(believes(h, {{"T3"}, {"T4"}, "T4 read 3 of key z, which T3 inserted", {}}));
  EXPECT_FALSE(believes(h, {{"T3"}, {"T9"}, "T9 read 3 of key z, which T3 wrote", {}})) << "there is no T9";
  EXPECT_FALSE(believes(h, {{"T3"}, {"T4"}, "T4 saw what T3 wrote", {}})) << "not understood";
}

TEST(Truth, ThatOneComesBeforeAnotherMustFollow) {
  const History h = draw(kRegisters);
  const ToldStep read{{"T0"}, {"T2"}, "T2 read 4 of key x, which T0 wrote", {}};
  const ToldStep missed{
      {"T1"}, {"T2"}, "T1 read 4 of key x, which T0 wrote; T2 wrote that key too and comes after T0", {0}};
  EXPECT_EQ(untrue(h, stepping(h, {read, missed})), std::vector<std::string>{});
  ToldStep without = missed;
  without.premises.clear();
  EXPECT_EQ(untrue(h, stepping(h, {read, without})).size(), 1U);

  Told told = stepping(h, {read});
  told.sentences = {"T1 read 4 of key x, which T2 overwrote, although T2 comes before T1."};
  EXPECT_EQ(untrue(h, told).size(), 1U) << "no step says that";
  told.sentences = {"T1 and T2 both read 4 of key x and both overwrote it: one update is lost."};
  EXPECT_EQ(untrue(h, told), std::vector<std::string>{});
  told.sentences = {"T0 and T2 both read 4 of key x and both overwrote it: one update is lost."};
  EXPECT_EQ(untrue(h, told).size(), 1U);
}

TEST(Truth, TheCircleMustClose) {
  const History h = draw(kLists);
  Told told = stepping(h, {{{"T0"}, {"T1"}, "both ran in session a, in this order", {}},
                           {{"T2"}, {"T3"}, "both ran in session b, in this order", {}}});
  told.scenes[0].cycle = {0, 1};
  EXPECT_FALSE(untrue(h, told).empty());
}

TEST(Truth, DeedsAreAllThatWasDone) {
  const History h = draw(kLists);
  Told told = saying(h, "");
  told.sentences.clear();
  told.deeds = {{"T1", "transaction 1 of session a", "append(x)=2, append(y)=5"},
                {"T3", "transaction 3 of session b", "r(x)=[1], (1 more)"}};
  EXPECT_EQ(untrue(h, told), std::vector<std::string>{});
  told.deeds = {{"T1", "transaction 1 of session a", "append(x)=2"}};
  EXPECT_FALSE(untrue(h, told).empty()) << "one is left out and not counted";
  told.deeds = {{"T1", "transaction 1 of session a", "append(y)=5, append(x)=2"}};
  EXPECT_FALSE(untrue(h, told).empty()) << "not in this order";
}

// What one report says of one history is not so in another, in which a value, a key or a reader is different.
TEST(Truth, WhatIsSoInOneHistoryIsNotInAnother) {
  const std::vector<std::pair<const char*, const char*>> cases{
      {"a: r(x,0) r(y,0) w(x,1)\nb: r(x,0) r(y,0) w(y,1)", "a: r(x,0) w(x,1)\nb: r(y,0) w(y,1)"},
      {"a: w(x,1) | r(x,0)", "a: w(x,1) | r(x,1)"},
      {"a: a(x,1) | l(x,[])", "a: a(x,1) | l(x,[1])"},
      {"a: i(m,1)\nb: g(a..p,[]) g(a..p,[m=1])", "a: i(m,1)\nb: g(a..p,[m=1]) g(a..p,[m=1])"},
      {"a: w(x,1)!\nb: r(x,1)", "a: w(x,1)\nb: r(x,1)"},
      {"a: w(x,1) w(x,2)\nb: r(x,1)", "a: w(x,2) w(x,1)\nb: r(x,1)"},
      {"a: a(x,1) a(x,2)\nb: l(x,[1])", "a: a(x,1) a(x,2)\nb: l(x,[1,2])"},
      {"a: a(x,1)\nb: a(x,2)\nc: l(x,[1,2])\nd: l(x,[2,1])",
       "a: a(x,1)\nb: a(x,2)\nc: l(x,[1,2])\nd: l(x,[1])"},
  };
  for (const auto& [of, another] : cases) {
    const History h = draw(of), other = draw(another);
    const auto found = evidence::examine(borrowed(h), std::array{Level::serializable}, {});
    ASSERT_EQ(found.explanations.size(), 1U) << of;
    EXPECT_EQ(untrue(found), std::vector<std::string>{});
    for (const auto& read : {told_by_text, told_by_json, told_by_page}) {
      for (const Told& told : read(found))
        EXPECT_FALSE(untrue(other, told).empty()) << told.where << "\n" << of;
    }
  }
}

// Two withdrawals from one account, as a recorder writes them down and as somebody else might.
History withdrawals(const char* note) {
  HistoryBuilder build;
  build.note(note);
  const auto add = [&](const char* session, std::int64_t name, const char* read, const char* written) {
    build.begin(build.session(Atom::string(session)), Atom::integer(name));
    if (read != nullptr) build.read(Atom::string("account:9"), Atom::string(read));
    build.write(Atom::string("account:9"), Atom::string(written));
    build.end(Status::committed, std::nullopt, std::nullopt);
  };
  add("load", 1, nullptr, "97@22167");
  add("a", 2, "97@22167", "90@5");
  add("b", 3, "97@22167", "80@6");
  return build.finish();
}

TEST(Truth, ValuesAndVersionsOfARecordingAreToldApart) {
  const auto told = [](const History& h) {
    const auto found = evidence::examine(borrowed(h), std::array{Level::serializable}, {});
    EXPECT_EQ(untrue(found), std::vector<std::string>{});
    return report::text(found, {});
  };
  const std::string recorded = told(withdrawals("recorded by assay on a bank"));
  EXPECT_NE(recorded.find("T2 and T3 both read 97 (version 22167) of key account:9"), std::string::npos)
      << recorded;
  EXPECT_NE(recorded.find("w(account:9)=90 (version 5)"), std::string::npos) << recorded;
  const std::string other = told(withdrawals("written by hand"));
  EXPECT_NE(other.find("both read 97@22167 of key account:9"), std::string::npos) << other;
}

TEST(Truth, TimesOfAWallClockAreThoseOfAPerson) {
  const History h = draw(
      "a: @1794987955306559497-1794987955406559497 w(x,1)\n"
      "b: @1794987955462703752-1794987955562703752 r(x,0)");
  const auto found = evidence::examine(borrowed(h), std::array{Level::strict_serializable}, {});
  EXPECT_EQ(untrue(found), std::vector<std::string>{});
  const std::string told = report::text(found, {});
  EXPECT_NE(told.find("by the clock (07:45:55.406559 and 07:45:55.462703 UTC, 56.1 ms apart)"),
            std::string::npos)
      << told;
  EXPECT_FALSE(are_times(" (07:45:55.406559 and 07:45:55.462703 UTC, 57.1 ms apart)", 1794987955406559497,
                         1794987955462703752));
  EXPECT_FALSE(are_times(" (07:45:55.406559 and 07:45:56.462703 UTC, 56.1 ms apart)", 1794987955406559497,
                         1794987955462703752));
}

// What a page says of a history that holds, and what it must not say.
TEST(Truth, BeliefIsJudgedToo) {
  const History h = draw("a: @1-4 w(x,1) | @9-10 r(x,1)\nb: @2-3 w(x,2)\nc: @11-12 r(y,0)");
  const auto found = evidence::examine(borrowed(h), std::array{Level::serializable}, {});
  EXPECT_EQ(untrue_beliefs(found), std::vector<std::string>{});
  EXPECT_TRUE(is_true_belief(found, "Only 4 transactions committed: that is little evidence."));
  EXPECT_FALSE(is_true_belief(found, "Only 5 transactions committed: that is little evidence."));
  EXPECT_FALSE(is_true_belief(found, "4 transactions committed in 3 sessions.")) << "as if that were much";
  const std::string tried =
      " of 4 began while a conflicting one was running (another session's, on a key of theirs, one of the "
      "two "
      "writing it).";
  EXPECT_TRUE(is_true_belief(found, "The level was tried: 1" + tried));
  EXPECT_FALSE(is_true_belief(found, "The level was tried: 2" + tried));
  EXPECT_FALSE(
      is_true_belief(found, "The level was hardly tried: 1 of 4 began while a conflicting one was running."));
  EXPECT_FALSE(is_true_belief(found, "Everything is well."));
}

}  // namespace
}  // namespace assay
