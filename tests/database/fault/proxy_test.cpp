#include "database/fault/proxy.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <string>
#include <string_view>

#include "system/input_error.hpp"
#include "system/socket.hpp"

namespace assay::database {
namespace {

using Clock = std::chrono::steady_clock;
using system::Descriptor;

Clock::time_point soon() {
  return Clock::now() + std::chrono::seconds(30);
}

// A server behind a proxy, and one connection through it.
class ThroughAProxy : public ::testing::Test {
 protected:
  static Endpoint endpoint_of(const Descriptor& listener) {
    return {"127.0.0.1", static_cast<std::uint16_t>(std::stoi(system::bound_address(listener).port))};
  }
  void SetUp() override {
    client_ = system::connect_to({proxy_.endpoint().host, std::to_string(proxy_.endpoint().port)});
    ASSERT_TRUE(system::wait_for(listener_, POLLIN, soon()));
    server_ = system::accept_from(listener_);
    ASSERT_TRUE(server_);
  }
  static void say(const Descriptor& to, const std::string& text) {
    ASSERT_EQ(::send(to.get(), text.data(), text.size(), MSG_NOSIGNAL), static_cast<ssize_t>(text.size()));
  }
  // What arrives next; empty: an orderly end.
  static std::string hear(const Descriptor& from) {
    if (!system::wait_for(from, POLLIN, soon())) return "(nothing came)";
    char bytes[256];
    const ssize_t n = ::recv(from.get(), bytes, sizeof bytes, 0);
    if (n < 0) return errno == ECONNRESET ? "(reset)" : "(error)";
    return {bytes, static_cast<std::size_t>(n)};
  }

  Descriptor listener_ = system::listen_at({"127.0.0.1", "0"});
  Proxy proxy_{endpoint_of(listener_)};
  Descriptor client_, server_;
};

TEST_F(ThroughAProxy, BytesPassBothWaysAndSoDoesTheEnd) {
  say(client_, "a question");
  EXPECT_EQ(hear(server_), "a question");
  say(server_, "an answer");
  EXPECT_EQ(hear(client_), "an answer");
  server_.reset();
  EXPECT_EQ(hear(client_), "");
}

TEST_F(ThroughAProxy, AResetReachesBothEnds) {
  proxy_.reset_all();
  EXPECT_EQ(hear(client_), "(reset)");
  EXPECT_EQ(hear(server_), "(reset)");
}

TEST_F(ThroughAProxy, WhatStallsIsNotLost) {
  proxy_.set_stalled(true);
  say(client_, "held back");
  EXPECT_FALSE(system::wait_for(server_, POLLIN, Clock::now() + std::chrono::milliseconds(50)));
  proxy_.set_stalled(false);
  EXPECT_EQ(hear(server_), "held back");
}

TEST_F(ThroughAProxy, ADelayIsKept) {
  const auto begin = Clock::now();
  proxy_.set_delay(std::chrono::milliseconds(40));
  say(client_, "later");
  EXPECT_EQ(hear(server_), "later");
  EXPECT_GE(Clock::now() - begin, std::chrono::milliseconds(40));
}

TEST_F(ThroughAProxy, AServerThatIsGoneRefuses) {
  server_.reset();
  listener_.reset();
  try {
    const Descriptor late =
        system::connect_to({proxy_.endpoint().host, std::to_string(proxy_.endpoint().port)});
    EXPECT_EQ(hear(late), "(reset)");
  } catch (const InputError& early) {  // the reset came before the connection was looked at
    EXPECT_NE(std::string_view(early.what()).find("reset"), std::string_view::npos) << early.what();
  }
}

}  // namespace
}  // namespace assay::database
