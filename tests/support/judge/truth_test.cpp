// The judge of sentences is itself judged: it must understand what reports say, and see through every lie.
#include "support/judge/truth.hpp"

#include <gtest/gtest.h>

#include <array>

#include "evidence/examine.hpp"
#include "support/examined.hpp"
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

}  // namespace
}  // namespace assay
