// kill -9 under load, of the collector and of PHP: the trace reads back to its last whole record, and nothing
// that a client has seen is missing from it.
#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <thread>

#include "audit/front/http_client.hpp"
#include "audit/front/php_server.hpp"
#include "audit/front/trace_file.hpp"
#include "audit/wire/trace_records.hpp"
#include "support/eventually.hpp"
#include "system/process.hpp"
#include "system/socket.hpp"

namespace assay::audit::front {
namespace {

using testing::eventually;
using testing::HttpAnswer;
using testing::HttpClient;
using testing::PhpKind;
using testing::PhpServer;
using testing::read_trace;
using testing::TraceEvent;
using testing::TraceFile;
using wire::EndReason;

// Answers with its own request id, and something to compress that differs.
constexpr const char* kScript = R"(<?php
header('X-Rid: ' . $_SERVER['ASSAY_RID']);
echo $_SERVER['ASSAY_RID'], ' ', $_GET['n'], ' ', str_repeat(md5($_SERVER['ASSAY_RID']), (int)$_GET['size']);
)";

// Clients that ask on and on, whoever dies, and remember every whole answer of the application.
class Load {
 public:
  Load(std::string address, int clients) : address_(std::move(address)) {
    for (int i = 0; i < clients; ++i) threads_.emplace_back([this, i] { run(static_cast<unsigned>(i)); });
  }
  ~Load() { stop(); }
  void stop() {
    over_ = true;
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }
  // By request id.
  const std::map<std::uint64_t, std::string>& seen() const { return seen_; }
  std::size_t answers() const { return answers_; }

 private:
  void run(unsigned seed) {
    std::mt19937 random(seed);
    while (!over_) {
      try {
        HttpClient client(address_);
        client.hurry();
        while (!over_) {
          const std::string n = std::to_string(random() % 1000);
          if (!client.get("/s.php?n=" + n + "&size=" + std::to_string(random() % 2000))) break;
          const HttpAnswer answer = client.answer();
          if (answer.status == 0) break;
          if (answer.status != 200) continue;
          const std::lock_guard lock(mutex_);
          seen_[std::stoull(answer.field("X-Rid"))] = answer.body;
          ++answers_;
        }
      } catch (const std::exception&) {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));  // nobody listens just now
      }
    }
  }

  std::string address_;
  std::atomic<bool> over_{false};
  std::atomic<std::size_t> answers_{0};
  std::mutex mutex_;
  std::map<std::uint64_t, std::string> seen_;
  std::vector<std::thread> threads_;
};

class KilledAtRandom : public ::testing::TestWithParam<PhpKind> {
 protected:
  void SetUp() override {
    if (!testing::php_program(GetParam())) GTEST_SKIP() << "this machine has no such PHP";
    folder_.file("s.php", kScript);
    php_.emplace(GetParam(), folder_.string(), 3);
    address_ = "127.0.0.1:" + std::to_string(system::free_ports(1).front());
    start();
  }
  void start() {
    system::Launch launch;
    launch.command = {ASSAY_COLLECTOR, address_, php_->address(), folder_.string(), trace_};
    launch.log = traces_ / "log";
    collector_ = std::make_unique<system::Process>(launch);
  }
  void kill() { collector_.reset(); }
  void expect_all_seen_is_recorded(const Load& load, const TraceFile& read) {
    EXPECT_EQ(read.trouble, "");
    for (const auto& [rid, body] : load.seen()) {
      const TraceEvent* const response = read.response(rid);
      ASSERT_NE(response, nullptr) << "a client has seen the response of request " << rid;
      EXPECT_EQ(response->end, EndReason::complete);
      EXPECT_TRUE(response->body == body) << rid;
    }
  }

  testing::TemporaryFolder folder_, traces_;
  std::optional<PhpServer> php_;
  std::string address_, trace_ = traces_.file("trace");
  std::unique_ptr<system::Process> collector_;
  std::mt19937 random_{42};
};

TEST_P(KilledAtRandom, TheCollectorLeavesATraceThatIsGoodToItsLastWholeRecord) {
  Load load(address_, 6);
  std::size_t before = 0;
  for (int kills = 0; kills < 12; ++kills) {
    const std::size_t wanted = load.answers() + 1 + random_() % 60;
    ASSERT_TRUE(eventually([&] { return load.answers() >= wanted; })) << "after " << kills << " kills";
    kill();
    const TraceFile read = read_trace(trace_);
    EXPECT_EQ(read.trouble, "") << "after " << kills << " kills";
    EXPECT_GT(read.events.size(), before);
    before = read.events.size();
    start();
  }
  load.stop();
  kill();
  expect_all_seen_is_recorded(load, read_trace(trace_));
}

TEST_P(KilledAtRandom, PhpLeavesRequestsThatTheTraceExplains) {
  Load load(address_, 6);
  for (int kills = 0; kills < 8; ++kills) {
    const std::size_t wanted = load.answers() + 1 + random_() % 60;
    ASSERT_TRUE(eventually([&] { return load.answers() >= wanted; })) << "after " << kills << " kills";
    php_->kill();
    php_->start();
  }
  const std::size_t wanted = load.answers() + 20;
  ASSERT_TRUE(eventually([&] { return load.answers() >= wanted; })) << "it goes on";
  load.stop();
  // Nobody asks any more: what is at PHP ends, and then every request has a response or a reason.
  EXPECT_TRUE(eventually([&] {
    const TraceFile read = read_trace(trace_);
    return read.responses() * 2 == read.events.size();
  }));
  collector_->signal(SIGTERM);
  EXPECT_TRUE(collector_->wait(std::chrono::seconds(60)));
  EXPECT_EQ(collector_->status(), 0);
  const TraceFile read = read_trace(trace_);
  expect_all_seen_is_recorded(load, read);
  std::map<EndReason, std::size_t> ends;
  for (const TraceEvent& event : read.events) {
    if (!event.is_request) ++ends[event.end];
  }
  EXPECT_GT(ends[EndReason::server_gone] + ends[EndReason::refused], 0U);
  EXPECT_EQ(ends[EndReason::given_up], 0U);
}

INSTANTIATE_TEST_SUITE_P(Php, KilledAtRandom, ::testing::Values(PhpKind::cgi, PhpKind::fpm),
                         [](const auto& kind) { return kind.param == PhpKind::cgi ? "Cgi" : "Fpm"; });

}  // namespace
}  // namespace assay::audit::front
