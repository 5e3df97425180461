// The trace on the disk: what is written comes back, wherever the writer is cut, and the next one goes on.
#include "audit/front/trace_writer.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <system_error>

#include "audit/front/trace_file.hpp"
#include "support/program.hpp"
#include "system/input_error.hpp"

namespace assay::audit::front {
namespace {

using testing::read_trace;
using testing::TraceFile;

fastcgi::Params params_for(std::uint64_t rid) {
  return {{"REQUEST_METHOD", "GET"}, {"ASSAY_RID", std::to_string(rid)}};
}

class TraceWriting : public ::testing::Test {
 protected:
  // A request and its response, as the next number.
  static void write_pair(TraceWriter& trace, const std::string& body) {
    const std::uint64_t rid = trace.next_rid();
    trace.request(rid, params_for(rid), body);
    const CgiHead head{404, "x", {{"Set-Cookie", "a"}, {"Set-Cookie", "b"}}};
    trace.response(rid, wire::EndReason::complete, &head, body + body);
    trace.commit();
  }
  std::string error() {
    try {
      TraceWriter trace(path_, Durability::process);
      return "none";
    } catch (const InputError& error) {
      return error.position() + " " + error.message();
    }
  }
  testing::TemporaryFolder folder_;
  std::string path_ = folder_.file("trace");
};

TEST_F(TraceWriting, WhatIsWrittenComesBack) {
  for (const Durability durability : {Durability::process, Durability::machine}) {
    std::filesystem::remove(path_);
    TraceWriter trace(path_, durability);
    write_pair(trace, "");
    write_pair(trace, std::string(100'000, 'x'));
    trace.request(3, params_for(3), "last");
    trace.response(3, wire::EndReason::server_gone, nullptr, "");
    const TraceFile read = read_trace(path_);
    EXPECT_EQ(read.trouble, "");
    EXPECT_EQ(read.left_over, 0U);
    ASSERT_EQ(read.events.size(), 6U);
    EXPECT_EQ(read.request(2)->body, std::string(100'000, 'x'));
    EXPECT_EQ(read.response(1)->status, 404U);
    EXPECT_EQ(read.response(1)->pairs, (testing::TracePairs{{"Set-Cookie", "a"}, {"Set-Cookie", "b"}}));
    EXPECT_EQ(read.response(2)->body.size(), 200'000U);
    EXPECT_EQ(read.response(3)->status, 0U);
    EXPECT_EQ(read.response(3)->end, wire::EndReason::server_gone);
    EXPECT_EQ(std::filesystem::file_size(path_), trace.bytes());
  }
}

TEST_F(TraceWriting, AWriterThatIsCutAnywhereIsContinuedBehindItsLastWholeFrame) {
  {
    TraceWriter trace(path_, Durability::process);
    write_pair(trace, "one");
    write_pair(trace, "two");
  }
  std::ifstream in(path_, std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  for (std::size_t cut = 0; cut <= whole.size(); ++cut) {
    folder_.file("trace", whole.substr(0, cut));
    const TraceFile before = read_trace(path_);
    const std::uint64_t last = before.events.empty() ? 0 : before.events.back().rid;
    {
      TraceWriter trace(path_, Durability::process);
      EXPECT_EQ(trace.cut_off(), cut < 16 ? cut : before.left_over) << cut;
      EXPECT_EQ(trace.next_rid(), last + 1) << cut;
      write_pair(trace, "more");
    }
    const TraceFile after = read_trace(path_);
    EXPECT_EQ(after.trouble, "") << cut;
    EXPECT_EQ(after.left_over, 0U);
    ASSERT_EQ(after.events.size(), before.events.size() + 2) << cut;
    EXPECT_EQ(after.events.back().body, "moremore");
  }
}

TEST_F(TraceWriting, ALastFrameWithAWrongChecksumIsCutOffAndAnyOtherIsAnError) {
  std::size_t first_end = 0;
  {
    TraceWriter trace(path_, Durability::process);
    trace.request(1, params_for(1), "one");
    first_end = trace.bytes();
    trace.request(2, params_for(2), "two");
  }
  std::ifstream in(path_, std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  std::string damaged = whole;
  damaged.back() = static_cast<char>(damaged.back() ^ 1);
  folder_.file("trace", damaged);
  EXPECT_EQ(TraceWriter(path_, Durability::process).next_rid(), 2U);
  damaged = whole;
  damaged[first_end - 1] = static_cast<char>(damaged[first_end - 1] ^ 1);
  folder_.file("trace", damaged);
  EXPECT_EQ(error(), "byte 16 this frame of the trace is damaged");
  damaged = whole;
  damaged[16 + 7] = '\x7f';  // a length that no frame has
  folder_.file("trace", damaged);
  EXPECT_EQ(error(), "byte 16 this frame of the trace is damaged")
      << "and is not taken for an unfinished frame";
  EXPECT_EQ(std::filesystem::file_size(path_), whole.size()) << "nothing of it is lost";
}

TEST_F(TraceWriting, WhatIsNoTraceIsLeftAlone) {
  folder_.file("trace", "precious data of somebody else");
  EXPECT_EQ(error(), "byte 0 this is no trace");
  EXPECT_EQ(std::filesystem::file_size(path_), 30U);
  folder_.file("trace", "precious");
  EXPECT_EQ(error(), "byte 0 this is no trace");
}

TEST_F(TraceWriting, OneTraceHasOneWriter) {
  const TraceWriter trace(path_, Durability::process);
  EXPECT_EQ(error(), " another collector writes this trace");
}

TEST_F(TraceWriting, TimeDoesNotRunBackwardsEvenIfTheClockDoes) {
  constexpr std::uint64_t kFuture = std::uint64_t{1} << 62;  // an earlier collector's clock was ahead
  const int file = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  wire::Request early;
  early.rid = 41;
  early.time = kFuture;
  early.params = {{"ASSAY_RID", "41"}};
  const std::string bytes =
      wire::file_head(wire::kTraceMagic) + wire::frame(wire::Tag::request, wire::encode(early));
  ASSERT_EQ(::write(file, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  ::close(file);
  TraceWriter trace(path_, Durability::process);
  write_pair(trace, "");
  const TraceFile read = read_trace(path_);
  EXPECT_EQ(read.trouble, "");
  EXPECT_EQ(read.events.back().time, kFuture);
  EXPECT_EQ(read.events.back().rid, 42U);
}

// A full disk, played by a limit on the size of files.
TEST_F(TraceWriting, AFullDiskIsAnErrorAndWhatWasWrittenBeforeStays) {
  TraceWriter trace(path_, Durability::process);
  write_pair(trace, "one");
  rlimit usual{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &usual), 0);
  const auto handler = ::signal(SIGXFSZ, SIG_IGN);
  rlimit tight = usual;
  tight.rlim_cur = trace.bytes() + 10;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &tight), 0);
  EXPECT_THROW(trace.request(2, params_for(2), "two"), std::system_error);
  EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &usual), 0);
  ::signal(SIGXFSZ, handler);
  const TraceFile read = read_trace(path_);
  EXPECT_EQ(read.trouble, "");
  EXPECT_EQ(read.events.size(), 2U);
  EXPECT_EQ(read.left_over, 10U);
}

}  // namespace
}  // namespace assay::audit::front
