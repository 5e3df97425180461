// The collector with real sockets, in front of a PHP that does what a test wants: limits, failures, clients
// that behave badly, the way to stop.
#include "audit/front/front.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "audit/front/http_client.hpp"
#include "audit/front/trace_file.hpp"
#include "support/eventually.hpp"
#include "support/program.hpp"
#include "system/address.hpp"
#include "system/input_error.hpp"
#include "system/socket.hpp"

namespace assay::audit::front {
namespace {

using testing::eventually;
using testing::http_get;
using testing::HttpAnswer;
using testing::HttpClient;
using testing::read_trace;
using testing::TraceFile;
using wire::EndReason;

std::string page(std::string_view body) {
  std::string bytes;
  for (std::string content = "A: 1\r\n\r\n" + std::string(body); !content.empty();) {
    fastcgi::put_record(bytes, fastcgi::Type::standard_output, content.substr(0, 60000));
    content.erase(0, 60000);
  }
  fastcgi::put_record(bytes, fastcgi::Type::end_request, std::string(8, '\0'));
  return bytes;
}

// Takes one connection after the other, reads a request to its end, says what it was told to say, and closes
// when it is allowed to.
class FakePhp {
 public:
  FakePhp() : FakePhp(system::listen_at(system::address_of("0")), "") {
    address_ = "fastcgi://" + shown(system::bound_address(listener_));
  }
  FakePhp(system::Descriptor listener, std::string address)
      : listener_(std::move(listener)), address_(std::move(address)), thread_([this] { serve(); }) {}
  ~FakePhp() {
    over_ = true;
    thread_.join();
  }
  const std::string& address() const { return address_; }
  void says(std::string bytes) {
    const std::lock_guard lock(mutex_);
    bytes_ = std::move(bytes);
  }
  void waits(bool yes) { waits_ = yes; }
  int requests() const { return requests_; }

 private:
  void serve() {
    while (!over_) {
      pollfd ready{listener_.get(), POLLIN, 0};
      if (::poll(&ready, 1, 20) <= 0) continue;
      const system::Descriptor client(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      std::string request;
      char piece[65536];
      while (request.find(std::string("\1\5\0\1\0\0\0\0", 8)) == std::string::npos) {
        const ssize_t n = ::recv(client.get(), piece, sizeof piece, 0);
        if (n <= 0) break;
        request.append(piece, static_cast<std::size_t>(n));
      }
      ++requests_;
      while (waits_ && !over_) std::this_thread::sleep_for(std::chrono::milliseconds(5));
      const std::lock_guard lock(mutex_);
      ::send(client.get(), bytes_.data(), bytes_.size(), MSG_NOSIGNAL);
    }
  }

  system::Descriptor listener_;
  std::string address_;
  std::mutex mutex_;
  std::string bytes_ = page("hello");
  std::atomic<bool> over_{false}, waits_{false};
  std::atomic<int> requests_{0};
  std::thread thread_;
};

// A Unix socket in whose queue there is room for two.
system::Descriptor narrow_listener(const std::string& path) {
  system::Descriptor out(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_un place{};
  place.sun_family = AF_UNIX;
  path.copy(place.sun_path, sizeof place.sun_path - 1);
  EXPECT_EQ(::bind(out.get(), reinterpret_cast<const sockaddr*>(&place), sizeof place), 0);
  EXPECT_EQ(::listen(out.get(), 1), 0);
  return out;
}

class TheCollector : public ::testing::Test {
 protected:
  TheCollector() {
    folder_.file("a.php", "");
    options_.listen = "127.0.0.1:0";
    options_.php = php_.address();
    options_.root = folder_.string();
    options_.trace = folder_.file("trace");
    options_.note = [this](const std::string& text) {
      const std::lock_guard lock(mutex_);
      notes_ += text + "\n";
    };
    options_.limits.time.grace = std::chrono::milliseconds(200);
  }
  ~TheCollector() override { stop(); }

  void start() {
    front_.emplace(options_);
    thread_ = std::thread([this] { front_->run(); });
  }
  void stop() {
    if (!thread_.joinable()) return;
    front_->stop();
    thread_.join();
    front_.reset();
  }
  const std::string& address() const { return front_->address(); }
  Counters counters() const { return front_->counters(); }
  // Stops the collector and reads what it wrote.
  TraceFile trace() {
    stop();
    TraceFile read = read_trace(options_.trace);
    EXPECT_EQ(read.trouble, "");
    EXPECT_EQ(read.left_over, 0U);
    return read;
  }
  std::string notes() {
    const std::lock_guard lock(mutex_);
    return notes_;
  }

  testing::TemporaryFolder folder_;
  FakePhp php_;
  FrontOptions options_;
  std::mutex mutex_;
  std::string notes_;
  std::optional<Front> front_;
  std::thread thread_;
};

TEST_F(TheCollector, ServesAndRecordsARequestOnAConnectionThatStaysOpen) {
  start();
  HttpClient client(address());
  for (int i = 0; i < 3; ++i) {
    client.get("/a.php?n=" + std::to_string(i));
    const HttpAnswer answer = client.answer();
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.body, "hello");
    EXPECT_EQ(answer.field("Connection"), "keep-alive");
  }
  EXPECT_EQ(counters().connections, 1U);
  EXPECT_EQ(counters().requests, 3U);
  EXPECT_EQ(counters().complete, 3U);
  const TraceFile all = trace();
  EXPECT_EQ(all.events.size(), 6U);
  EXPECT_EQ(all.request(3)->value("QUERY_STRING"), "n=2");
  EXPECT_EQ(all.request(1)->value("REMOTE_ADDR"), "127.0.0.1");
}

TEST_F(TheCollector, PipelinedRequestsAreAnsweredInOrder) {
  start();
  HttpClient client(address());
  std::string all;
  for (int i = 0; i < 50; ++i) all += "GET /a.php?" + std::to_string(i) + " HTTP/1.1\r\nHost: h\r\n\r\n";
  client.say(all);
  for (int i = 0; i < 50; ++i) EXPECT_EQ(client.answer().status, 200);
  const TraceFile read = trace();
  for (std::uint64_t rid = 1; rid <= 50; ++rid)
    EXPECT_EQ(read.request(rid)->value("QUERY_STRING"), std::to_string(rid - 1));
}

TEST_F(TheCollector, LargeBodiesPassBothWays) {
  const std::string large(5'000'000, 'x');
  php_.says(page(large + "end"));
  start();
  HttpClient client(address());
  client.post("/a.php", large);
  const HttpAnswer answer = client.answer();
  EXPECT_TRUE(answer.body == large + "end");
  const TraceFile read = trace();
  EXPECT_TRUE(read.request(1)->body == large);
  EXPECT_TRUE(read.response(1)->body == large + "end");
}

TEST_F(TheCollector, AClientThatResetsItsConnectionIsExplained) {
  php_.waits(true);
  start();
  {
    HttpClient client(address());
    client.get("/a.php");
    ASSERT_TRUE(eventually([&] { return php_.requests() == 1; }));
    client.reset();
  }
  // The reset has reached the collector before PHP goes on, as a connection made after it has.
  EXPECT_EQ(http_get(address(), "/nothing").status, 404);
  php_.waits(false);
  ASSERT_TRUE(eventually([&] { return counters().client_gone == 1; }));
  const TraceFile read = trace();
  EXPECT_EQ(read.response(1)->end, EndReason::client_gone);
  EXPECT_EQ(read.response(1)->body, "hello");
}

TEST_F(TheCollector, AClientThatEndsItsSideStillGetsItsAnswer) {
  start();
  HttpClient client(address());
  client.get("/a.php");
  client.end_input();
  EXPECT_EQ(client.answer().status, 200);
  EXPECT_TRUE(client.closes());
}

TEST_F(TheCollector, AServerThatClosesEarlyIs502) {
  php_.says(page("hello").substr(0, 20));
  start();
  EXPECT_EQ(http_get(address(), "/a.php").status, 502);
  EXPECT_EQ(counters().server_gone, 1U);
  EXPECT_EQ(trace().response(1)->end, EndReason::server_gone);
  EXPECT_NE(notes().find("request 1: PHP closed"), std::string::npos);
}

TEST_F(TheCollector, AServerThatSaysSomethingElseIs504) {
  php_.says("HTTP/1.1 200 OK\r\n\r\n");
  start();
  EXPECT_EQ(http_get(address(), "/a.php").status, 504);
  EXPECT_EQ(trace().response(1)->end, EndReason::given_up);
}

TEST_F(TheCollector, AServerThatDoesNotAnswerInTimeIs504) {
  php_.waits(true);
  options_.limits.time.response = std::chrono::milliseconds(50);
  start();
  EXPECT_EQ(http_get(address(), "/a.php").status, 504);
  EXPECT_EQ(trace().response(1)->end, EndReason::given_up);
}

TEST_F(TheCollector, AServerThatIsNotThereIs503AndThatIsRecordedToo) {
  for (const std::string& php :
       {std::string("unix:") + folder_.file("nobody"), std::string("fastcgi://127.0.0.1:1")}) {
    options_.php = php;
    start();
    EXPECT_EQ(http_get(address(), "/a.php").status, 503);
    EXPECT_EQ(counters().php_refused, 1U);
    stop();
  }
  const TraceFile read = read_trace(options_.trace);
  EXPECT_EQ(read.trouble, "") << "the second collector goes on with the trace of the first";
  EXPECT_EQ(read.response(1)->end, EndReason::refused);
  EXPECT_EQ(read.response(2)->end, EndReason::refused);
}

TEST_F(TheCollector, APhpWhoseQueueIsFullIsTriedAgain) {
  FakePhp narrow(narrow_listener(folder_.file("php.sock")), "unix:" + folder_.file("php.sock"));
  narrow.waits(true);
  options_.php = narrow.address();
  start();
  std::vector<std::unique_ptr<HttpClient>> clients;
  for (int i = 0; i < 10; ++i) {
    clients.push_back(std::make_unique<HttpClient>(address()));
    clients.back()->get("/a.php");
  }
  ASSERT_TRUE(eventually([&] { return counters().requests == 10 && narrow.requests() == 1; }));
  narrow.waits(false);
  for (const auto& client : clients) EXPECT_EQ(client->answer().status, 200);
  EXPECT_EQ(counters().complete, 10U);
}

TEST_F(TheCollector, APhpWhoseQueueStaysFullIs503) {
  FakePhp narrow(narrow_listener(folder_.file("php.sock")), "unix:" + folder_.file("php.sock"));
  narrow.waits(true);
  options_.php = narrow.address();
  options_.limits.time.connect = std::chrono::milliseconds(50);
  start();
  std::vector<std::unique_ptr<HttpClient>> clients;
  for (int i = 0; i < 10; ++i) {
    clients.push_back(std::make_unique<HttpClient>(address()));
    clients.back()->get("/a.php");
  }
  ASSERT_TRUE(eventually([&] { return counters().php_refused >= 7; })) << "one is served, two wait";
  EXPECT_NE(notes().find("it takes no connection"), std::string::npos);
  const TraceFile read = trace();
  EXPECT_EQ(read.responses(), 10U);
}

TEST_F(TheCollector, WhatPhpComplainsAboutIsTold) {
  std::string bytes;
  fastcgi::put_record(bytes, fastcgi::Type::standard_error, "PHP Warning: oops");
  php_.says(bytes + page("hello"));
  start();
  EXPECT_EQ(http_get(address(), "/a.php").body, "hello");
  stop();
  EXPECT_EQ(notes(), "request 1: PHP: PHP Warning: oops\n");
}

TEST_F(TheCollector, RequestsAboveThePlacesAtPhpWaitTheirTurn) {
  options_.limits.at_php = 1;
  php_.waits(true);
  start();
  HttpClient first(address()), second(address());
  first.get("/a.php?1");
  ASSERT_TRUE(eventually([&] { return counters().requests == 1; }));
  second.get("/a.php?2");
  EXPECT_EQ(http_get(address(), "/nothing").status, 404) << "what is not for PHP does not wait";
  EXPECT_EQ(counters().requests, 1U) << "the second is not at PHP";
  php_.waits(false);
  EXPECT_EQ(first.answer().status, 200);
  EXPECT_EQ(second.answer().status, 200);
  const TraceFile read = trace();
  ASSERT_EQ(read.events.size(), 4U);
  EXPECT_FALSE(read.events[1].is_request) << "so the trace knows that the first was over by then";
}

TEST_F(TheCollector, WhoWaitsTooLongForAPlaceIsToldAndNotRecorded) {
  options_.limits.at_php = 1;
  options_.limits.time.queue = std::chrono::milliseconds(50);
  php_.waits(true);
  start();
  HttpClient first(address());
  first.get("/a.php");
  ASSERT_TRUE(eventually([&] { return counters().requests == 1; }));
  EXPECT_EQ(http_get(address(), "/a.php").status, 503);
  php_.waits(false);
  EXPECT_EQ(first.answer().status, 200);
  EXPECT_EQ(trace().events.size(), 2U);
}

TEST_F(TheCollector, SlowClientsLoseTheirPlace) {
  options_.limits.time.head = options_.limits.time.body = options_.limits.time.idle =
      std::chrono::milliseconds(50);
  start();
  HttpClient head(address()), body(address()), idle(address());
  head.say("GET /a.php HT");
  body.say("POST /a.php HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nab");
  EXPECT_EQ(head.answer().status, 408);
  EXPECT_EQ(body.answer().status, 408);
  EXPECT_TRUE(idle.closes());
  EXPECT_EQ(trace().events.size(), 0U);
}

TEST_F(TheCollector, AClientThatDoesNotReadLosesItsPlaceToo) {
  php_.says(page(std::string(20'000'000, 'x')));
  options_.limits.time.answer = std::chrono::milliseconds(50);
  options_.limits.connections = 1;
  start();
  HttpClient client(address());
  client.get("/a.php");
  EXPECT_EQ(http_get(address(), "/nothing").status, 404) << "served when the first has lost the only place";
  EXPECT_EQ(client.answer().status, 0) << "the rest never comes";
  EXPECT_EQ(trace().response(1)->end, EndReason::complete);
}

TEST_F(TheCollector, AnAddressHasItsPlacesAndNoMore) {
  options_.limits.connections_per_address = 2;
  start();
  HttpClient first(address()), second(address());
  for (HttpClient* const client : {&first, &second}) {
    client->get("/nothing");
    EXPECT_EQ(client->answer().status, 404);
  }
  HttpClient third(address());
  EXPECT_EQ(third.answer().status, 503);
  EXPECT_EQ(counters().connections_turned_away, 1U);
  first.reset();
  EXPECT_TRUE(eventually([&] { return http_get(address(), "/nothing").status == 404; }));
}

TEST_F(TheCollector, ConnectionsAboveTheLimitWaitInTheKernel) {
  options_.limits.connections = 1;
  start();
  HttpClient first(address());
  first.get("/nothing");
  EXPECT_EQ(first.answer().status, 404);
  HttpClient second(address());
  second.get("/nothing");
  first.reset();
  EXPECT_EQ(second.answer().status, 404);
}

TEST_F(TheCollector, WhatAllHoldTogetherHasALimit) {
  options_.limits.held_bytes = 1'000'000;
  start();
  HttpClient client(address());
  client.post("/a.php", std::string(3'000'000, 'x'));
  EXPECT_EQ(client.answer().status, 503);
  EXPECT_EQ(counters().requests, 0U);
  php_.says(page(std::string(3'000'000, 'x')));
  EXPECT_EQ(http_get(address(), "/a.php").status, 504);
  php_.says(page("small"));
  EXPECT_EQ(http_get(address(), "/a.php").body, "small") << "what was held is given back";
}

TEST_F(TheCollector, ABodyThatIsTooLargeIsToldWhileItComes) {
  options_.limits.request.body_bytes = 10;
  start();
  HttpClient client(address());
  client.say("POST /a.php HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 11\r\n\r\n");
  EXPECT_EQ(client.answer().status, 413) << "instead of asking for it";
  HttpClient chunked(address());
  chunked.say("POST /a.php HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nB\r\n");
  chunked.say(std::string(100'000, 'x'));
  EXPECT_EQ(chunked.answer().status, 413) << "although it went on sending";
}

TEST_F(TheCollector, StoppingWaitsForWhatIsAtPhpAndAnswersIt) {
  options_.limits.time.grace = std::chrono::seconds(60);
  php_.waits(true);
  start();
  HttpClient busy(address()), idle(address());
  busy.get("/a.php");
  ASSERT_TRUE(eventually([&] { return php_.requests() == 1; }));
  front_->stop();
  EXPECT_TRUE(idle.closes());
  php_.waits(false);
  EXPECT_EQ(busy.answer().body, "hello");
  EXPECT_EQ(trace().response(1)->end, EndReason::complete);
}

TEST_F(TheCollector, StoppingWaitsNoLongerThanItsGraceAndRecordsThat) {
  php_.waits(true);
  start();
  HttpClient busy(address());
  busy.get("/a.php");
  ASSERT_TRUE(eventually([&] { return php_.requests() == 1; }));
  front_->stop();
  EXPECT_EQ(busy.answer().status, 504);
  EXPECT_EQ(trace().response(1)->end, EndReason::given_up);
}

TEST_F(TheCollector, AWrongOptionIsAnErrorAtTheStart) {
  const auto error = [](const FrontOptions& options) {
    try {
      Front front(options);
    } catch (const InputError& refused) {
      return std::string(refused.what());
    }
    return std::string("none");
  };
  FrontOptions wrong = options_;
  wrong.php = "127.0.0.1:9000";
  EXPECT_EQ(error(wrong), "127.0.0.1:9000: expected fastcgi://HOST:PORT or unix:PATH");
  wrong = options_;
  wrong.root = folder_.file("no such folder");
  EXPECT_NE(error(wrong).find("this is no folder"), std::string::npos);
  wrong = options_;
  wrong.limits.response.body_bytes = wire::kLargestString + 1;
  EXPECT_NE(error(wrong).find("a body has at most"), std::string::npos);
  wrong = options_;
  wrong.limits.at_php = 0;
  EXPECT_NE(error(wrong).find("at least one place"), std::string::npos);
  wrong = options_;
  wrong.php = "unix:" + std::string(200, 'x');
  EXPECT_NE(error(wrong).find("the path of a socket"), std::string::npos);
}

}  // namespace
}  // namespace assay::audit::front
