#include "record/cut.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "record/transaction_bytes.hpp"

namespace assay::record {
namespace {

std::string sent(std::int64_t end, std::uint64_t seen, std::uint64_t written,
                 Status status = Status::committed) {
  TransactionBytes bytes;
  bytes.begin(0);
  bytes.read("x", {seen, std::nullopt});
  if (written != 0) bytes.write(OpKind::write, "x", {written, std::nullopt});
  bytes.end(status, end);
  return std::string(bytes.bytes());
}

// Versions of session 0 are even, those of session 1 odd.
TEST(Cut, AReaderWaitsAndWhoeverNeedsIt) {
  Cut cut(2);
  // Session 0 has read what a transaction of session 1 wrote that is still open; session 1 had read from
  // session 0 after that.
  std::vector<std::string> waiting{sent(10, 0, 2) + sent(20, 5, 4), sent(30, 4, 3)};
  const std::int64_t open_since[] = {40, 15};
  const std::vector<std::size_t> first = cut.of(waiting, open_since);
  EXPECT_EQ(first[0], sent(10, 0, 2).size());
  EXPECT_EQ(first[1], 0U);
  waiting[0].erase(0, first[0]);
  waiting[1] += sent(35, 0, 5);
  const std::vector<std::size_t> second = cut.of(waiting, open_since);
  EXPECT_EQ(second[0], waiting[0].size());
  EXPECT_EQ(second[1], waiting[1].size());
}

TEST(Cut, NobodyWaitsForAValueFromNowhere) {
  Cut cut(2);
  const std::vector<std::string> waiting{sent(10, 7, 2), sent(12, 0, 3)};
  const std::int64_t begun_before[] = {40, 5}, begun_after[] = {40, 11};
  EXPECT_EQ(cut.of(waiting, begun_before)[0], 0U);
  EXPECT_EQ(cut.of(waiting, begun_after)[0], waiting[0].size());
}

TEST(Cut, WhatDidNotCommitProvesNothingAndWaitsForNobody) {
  Cut cut(2);
  const std::vector<std::string> waiting{sent(10, 7, 2, Status::aborted), ""};
  const std::int64_t open_since[] = {40, 5};
  EXPECT_EQ(cut.of(waiting, open_since)[0], waiting[0].size());
}

}  // namespace
}  // namespace assay::record
