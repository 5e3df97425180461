#include "record/recorder.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "check/check.hpp"
#include "format/format.hpp"
#include "record/transaction_bytes.hpp"
#include "support/program.hpp"

namespace assay::record {
namespace {

using testing::TemporaryFolder;

void record_one(Recorder& recorder, std::uint32_t session, Status status, std::uint64_t version,
                std::uint64_t seen = 0) {
  Ring& log = recorder.ring(session);
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
  Ring& writer = recorder.ring(2);
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

}  // namespace
}  // namespace assay::record
