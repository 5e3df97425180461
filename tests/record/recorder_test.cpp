#include "record/recorder.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "check/check.hpp"
#include "format/format.hpp"
#include "record/consistent_cut.hpp"
#include "record/latency.hpp"
#include "record/transaction_bytes.hpp"
#include "support/program.hpp"

namespace assay::record {
namespace {

using testing::TemporaryFolder;

TEST(SessionLog, PassesMoreThanItHolds) {
  SessionLog log;
  std::string sent;
  for (int i = 0; i < 500'000; ++i) sent += std::to_string(i);  // several times the ring
  std::thread session([&] {
    for (std::size_t at = 0; at < sent.size(); at += 1'000'000)
      log.push(std::string_view(sent).substr(at, 1'000'000));
  });
  std::string taken;
  while (taken.size() < sent.size()) log.take(taken);
  session.join();
  EXPECT_EQ(taken, sent);
}

TEST(Latencies, PercentilesAreRightToAFewPercent) {
  Latencies latencies;
  for (int i = 1; i <= 1000; ++i) latencies.add(std::chrono::microseconds(i));
  EXPECT_NEAR(latencies.percentile(50), 500e-6, 20e-6);
  EXPECT_NEAR(latencies.percentile(99), 990e-6, 40e-6);
  EXPECT_EQ(Latencies().percentile(50), 0);
}

void record_one(Recorder& recorder, std::uint32_t session, Status status, std::uint64_t version,
                std::uint64_t seen = 0) {
  SessionLog& log = recorder.log(session);
  TransactionBytes bytes;
  log.opening();
  const std::int64_t start = recorder.clock().nanoseconds();
  log.opened(start);
  bytes.begin(start);
  bytes.read("x", {seen, std::nullopt});
  bytes.write(OpKind::write, "x", {version, std::nullopt});
  bytes.end(status, recorder.clock().nanoseconds());
  log.push(bytes.bytes());
  log.closed();
}

TEST(Recorder, WritesWhatSessionsSaw) {
  const TemporaryFolder folder;
  {
    Recorder recorder(folder.file("h"), 2);
    record_one(recorder, 0, Status::committed, 1);
    record_one(recorder, 1, Status::unknown, 2);
    recorder.annotate("the server was killed");
    recorder.finish();
  }
  const History history = format::read_history(folder.file("h"));
  ASSERT_EQ(history.transactions(), 2U);
  EXPECT_EQ(to_string(history.name(history.session_of(Txn{0}))), "1");
  EXPECT_EQ(history.status(Txn{1}), Status::unknown);
  EXPECT_TRUE(history.start(Txn{1}).has_value());
  // It may still commit, at any time.
  EXPECT_FALSE(history.end(Txn{1}).has_value());
  EXPECT_LE(*history.start(Txn{0}), *history.end(Txn{0}));
  ASSERT_EQ(history.notes().size(), 1U);
  EXPECT_NE(history.notes()[0].find("the server was killed"), std::string::npos);
}

TEST(Recorder, TellsAFewSightingsAndCountsTheOthers) {
  const TemporaryFolder folder;
  Recorder recorder(folder.file("h"), 1);
  for (int i = 0; i < 10; ++i) recorder.remark("a wrong sum");
  recorder.finish();
  const History history = format::read_history(folder.file("h"));
  ASSERT_EQ(history.notes().size(), 4U);
  EXPECT_EQ(history.notes()[3], "7 more such sightings");
}

// B has begun and A has read from it, but B's session has not told the recorder yet. If the file ended here,
// A would have read a value from nowhere; so A must wait for B.
TEST(Recorder, NeverWritesAReaderBeforeItsWriter) {
  const TemporaryFolder folder;
  Recorder recorder(folder.file("h"), 3);
  SessionLog& writer = recorder.log(2);
  writer.opening();
  const std::int64_t start = recorder.clock().nanoseconds();
  writer.opened(start);
  record_one(recorder, 1, Status::committed, 7, 8);
  // Who read nothing of it need not wait.
  record_one(recorder, 0, Status::committed, 3);
  const auto size = [&] { return std::filesystem::file_size(folder.file("h")); };
  const auto header = size();
  while (size() == header) std::this_thread::yield();
  format::ReadOptions cut_off;
  cut_off.accept_truncated = true;
  EXPECT_EQ(format::read_history(folder.file("h"), cut_off).transactions(), 1U);

  TransactionBytes bytes;
  bytes.begin(start);
  bytes.write(OpKind::write, "x", {8, std::nullopt});
  bytes.end(Status::committed, recorder.clock().nanoseconds());
  writer.push(bytes.bytes());
  writer.closed();
  recorder.finish();
  EXPECT_EQ(format::read_history(folder.file("h")).transactions(), 3U);
}

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
TEST(ConsistentCut, AReaderWaitsAndWhoeverNeedsIt) {
  ConsistentCut cut(2);
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

TEST(ConsistentCut, NobodyWaitsForAValueFromNowhere) {
  ConsistentCut cut(2);
  const std::vector<std::string> waiting{sent(10, 7, 2), sent(12, 0, 3)};
  const std::int64_t begun_before[] = {40, 5}, begun_after[] = {40, 11};
  EXPECT_EQ(cut.of(waiting, begun_before)[0], 0U);
  EXPECT_EQ(cut.of(waiting, begun_after)[0], waiting[0].size());
}

TEST(ConsistentCut, WhatDidNotCommitProvesNothingAndWaitsForNobody) {
  ConsistentCut cut(2);
  const std::vector<std::string> waiting{sent(10, 7, 2, Status::aborted), ""};
  const std::int64_t open_since[] = {40, 5};
  EXPECT_EQ(cut.of(waiting, open_since)[0], waiting[0].size());
}

}  // namespace
}  // namespace assay::record
