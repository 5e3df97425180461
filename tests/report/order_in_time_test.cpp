// What reports say about time: how much ran at once, and where an order departs from the clock.
#include <gtest/gtest.h>

#include "report/departures.hpp"
#include "report/live.hpp"
#include "support/random/draw.hpp"

namespace assay::report {
namespace {

TEST(Running, IsTheMeanOfEachPiece) {
  // a runs from 0 to 100, b from 25 to 50: in four pieces of 25 there run 1, 2, 1 and 1.
  const auto running = running_over_time(draw("a: @0-100 w(x,1)\nb: @25-50 w(x,2)"), 4);
  ASSERT_TRUE(running);
  EXPECT_DOUBLE_EQ(running->piece_nanoseconds, 25);
  EXPECT_EQ(running->mean, (std::vector<double>{1, 2, 1, 1}));
}

TEST(Running, CountsPartsOfPieces) {
  const auto running = running_over_time(draw("a: @0-100 w(x,1)\nb: @20-70 w(x,2)"), 2);
  ASSERT_TRUE(running);
  EXPECT_DOUBLE_EQ(running->mean[0], 1 + 30.0 / 50);
  EXPECT_DOUBLE_EQ(running->mean[1], 1 + 20.0 / 50);
}

TEST(Running, NeedsTimesThatDiffer) {
  EXPECT_FALSE(running_over_time(draw("a: w(x,1)"), 10));
  EXPECT_FALSE(running_over_time(draw("a: @5-5 w(x,1)"), 10));
}

TEST(Departures, AreTransactionsPutAfterOneThatStartedLater) {
  const History history = draw("a: @0-10 w(x,1) | @100-110 w(x,2)\nb: @20-30 w(x,3)\nc: @105-120 w(x,4)");
  const std::vector<check::Event> order = {{Txn{0}}, {Txn{1}}, {Txn{2}}, {Txn{3}}};
  const Departures found = departures(history, order, 10, 4);
  EXPECT_EQ(found.compared, 4U);
  EXPECT_EQ(found.count, 1U) << "b had ended before a's second began; c overlaps it";
  ASSERT_EQ(found.largest.size(), 1U);
  EXPECT_EQ(found.largest[0].earlier, Txn{1});
  EXPECT_EQ(found.largest[0].later, Txn{2});
  EXPECT_EQ(found.largest[0].nanoseconds, 70U);
  EXPECT_EQ(found.over_order, (std::vector<std::uint64_t>{0, 0, 70, 0}));
}

TEST(Departures, KeepTheLargestAndSkipBegins) {
  const History history = draw("a: @1000-1001 w(x,1)\nb: @0-10 w(x,2)\nc: @0-20 w(x,3)\nd: @0-5 w(x,4)");
  using enum check::Event::Side;
  const std::vector<check::Event> order = {
      {Txn{1}, begin}, {Txn{0}, commit}, {Txn{1}, commit}, {Txn{2}, commit}, {Txn{3}, commit}};
  const Departures found = departures(history, order, 2, 1);
  EXPECT_EQ(found.count, 3U);
  ASSERT_EQ(found.largest.size(), 2U);
  EXPECT_EQ(found.largest[0].later, Txn{3});
  EXPECT_EQ(found.largest[1].later, Txn{1});
  EXPECT_EQ(found.over_order, (std::vector<std::uint64_t>{995}));
}

TEST(Departures, ThereAreNoneWithoutTimes) {
  const std::vector<check::Event> order = {{Txn{0}}};
  EXPECT_EQ(departures(draw("a: w(x,1)"), order, 3, 3).compared, 0U);
  EXPECT_EQ(departures(draw("a: w(x,1)"), {}, 3, 3).count, 0U);
}

}  // namespace
}  // namespace assay::report
