// Who plays which part in a textbook pattern, and that a pattern is not seen where one part is missing.
#include "evidence/patterns.hpp"

#include <gtest/gtest.h>

#include "evidence/explain.hpp"
#include "support/examined.hpp"
#include "support/random/draw.hpp"

namespace assay::evidence {
namespace {

using check::SessionOrder;
using Numbers = std::vector<std::uint32_t>;

std::vector<Txn> everybody(const History& h) {
  std::vector<Txn> all;
  for (const Txn t : h.all_transactions()) all.push_back(t);
  return all;
}

Numbers readers(const Roles& roles) {
  Numbers found;
  for (const SeenRead& read : roles.reads) found.push_back(index(read.reader));
  return found;
}

TEST(Patterns, ALostUpdateIsTwoReadersOfOneVersionThatBothOverwriteIt) {
  const History h = draw("a: w(x,4)\nb: r(x,4) w(x,5)\nc: r(x,4) w(x,6)");
  const auto all = everybody(h);
  const auto roles = Patterns(h, all).lost_update();
  ASSERT_TRUE(roles);
  EXPECT_EQ(readers(*roles), (Numbers{1, 2}));
  EXPECT_EQ(roles->reads[0].writers, std::vector<Txn>{Txn{0}});
  const History blind = draw("a: w(x,4)\nb: r(x,4) w(x,5)\nc: w(x,6)");
  EXPECT_FALSE(Patterns(blind, everybody(blind)).lost_update());
  const History one_after_the_other = draw("a: w(x,4)\nb: r(x,4) w(x,5)\nc: r(x,5) w(x,6)");
  EXPECT_FALSE(Patterns(one_after_the_other, everybody(one_after_the_other)).lost_update());
}

TEST(Patterns, ListsThatLackEachOthersAppendsAreALostUpdate) {
  const History h = draw("a: l(x,[]) a(x,1)\nb: l(x,[]) a(x,2)");
  const auto roles = Patterns(h, everybody(h)).lost_update();
  ASSERT_TRUE(roles);
  EXPECT_EQ(readers(*roles), (Numbers{0, 1}));
  const History one_after_the_other = draw("a: l(x,[]) a(x,1)\nb: l(x,[1]) a(x,2)");
  EXPECT_FALSE(Patterns(one_after_the_other, everybody(one_after_the_other)).lost_update());
}

// Where another can have written the value, who was seen is not certain.
TEST(Patterns, EachSawTheOtherOnlyIfNobodyElseWroteTheValue) {
  const History h = draw("a: r(x,1) w(y,1)\nb: r(y,1) w(x,1)");
  EXPECT_TRUE(Patterns(h, everybody(h)).circular_information_flow());
  const History doubtful = draw("a: r(x,1) w(y,1)\nb: r(y,1) w(x,1)\nc: w(x,1)");
  EXPECT_FALSE(Patterns(doubtful, everybody(doubtful)).circular_information_flow());
}

// A range and a predicate may both return a row that did not change, beside one that did.
TEST(Patterns, ANonRepeatableReadIsOfARowThatChanged) {
  const History h = draw("a: w(m,1)\nb: i(n,2)\nc: w(n,3)\nd: g(a..z,[m=1,n=2]) p(value >= 1,[m=1,n=3])");
  const auto all = everybody(h);
  const auto roles = Patterns(h, all).non_repeatable_read();
  ASSERT_TRUE(roles);
  EXPECT_EQ(h.name(roles->reads[0].key), Atom::string("n"));
}

TEST(Patterns, OnlyMembersCount) {
  const History h = draw("a: w(x,4)\nb: r(x,4) w(x,5)\nc: r(x,4) w(x,6)");
  const std::vector<Txn> without_the_writer{Txn{1}, Txn{2}};
  EXPECT_FALSE(Patterns(h, without_the_writer).lost_update()) << "nobody here wrote what they read";
}

TEST(Patterns, ExplanationsOfPhantomsNameTheMissedRow) {
  const History h = draw("a: i(m,1)\nb: g(a..p,[]) g(a..p,[m=1])");
  const std::vector<Level> levels{Level::read_atomic};
  const Examination found = examine(borrowed(h), levels, {});
  ASSERT_EQ(found.explanations.size(), 1U);
  const Roles& roles = found.explanations[0].roles;
  ASSERT_FALSE(roles.missed.empty());
  EXPECT_EQ(roles.missed[0].reader, Txn{1});
  EXPECT_EQ(roles.missed[0].writer, Txn{0});
  EXPECT_EQ(h.name(roles.missed[0].key), Atom::string("m"));
}

}  // namespace
}  // namespace assay::evidence
