#include "memory/work_list.hpp"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(WorkList, TheNewestIsTakenFirstAndNothingIsListedTwice) {
  WorkList list(4, WorkList::Next::newest);
  list.add(2, 0);
  list.add(3, 0);
  list.add(2, 0);
  EXPECT_EQ(list.take(), 3U);
  EXPECT_EQ(list.take(), 2U);
  EXPECT_TRUE(list.empty());
}

TEST(WorkList, TheLowestIsTakenFirstAndCanComeBack) {
  WorkList list(4, WorkList::Next::lowest);
  list.add(2, 7);
  list.add(3, 5);
  list.add(1, 9);
  EXPECT_EQ(list.take(), 3U);
  list.add(3, 8);
  EXPECT_EQ(list.take(), 2U);
  EXPECT_EQ(list.take(), 3U);
  EXPECT_EQ(list.take(), 1U);
  EXPECT_TRUE(list.empty());
}

TEST(WorkList, WhatIsListedCanBeSortedAndTheNewestStillComesFirst) {
  WorkList list(4, WorkList::Next::newest);
  for (const std::uint32_t thing : {2U, 0U, 3U}) list.add(thing, 0);
  list.sort([](std::uint32_t thing) { return 10 - thing; });
  EXPECT_EQ(list.take(), 3U);
  list.add(1, 0);
  EXPECT_EQ(list.take(), 1U);
  EXPECT_EQ(list.take(), 2U);
  EXPECT_EQ(list.take(), 0U);
  EXPECT_TRUE(list.empty());
}

}  // namespace
}  // namespace assay
