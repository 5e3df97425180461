#include "system/socket.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <set>

#include "support/inputs.hpp"

namespace assay::system {
namespace {

using Clock = std::chrono::steady_clock;

Clock::time_point soon() {
  return Clock::now() + std::chrono::seconds(30);
}

struct Connected {
  Descriptor listener = listen_at({"127.0.0.1", "0"});
  Descriptor client = connect_to(bound_address(listener));
  Descriptor server = wait_for(listener, POLLIN, soon()) ? accept_from(listener) : Descriptor();
};

TEST(Socket, BytesArriveAtTheOtherEnd) {
  Connected both;
  ASSERT_TRUE(both.server);
  ASSERT_EQ(::send(both.client.get(), "hello", 5, MSG_NOSIGNAL), 5);
  ASSERT_TRUE(wait_for(both.server, POLLIN, soon()));
  char bytes[8];
  EXPECT_EQ(::recv(both.server.get(), bytes, sizeof bytes, 0), 5);
  EXPECT_EQ(std::string_view(bytes, 5), "hello");
}

TEST(Socket, DoesNotBlock) {
  Connected both;
  ASSERT_TRUE(both.server);
  char byte;
  EXPECT_EQ(::recv(both.server.get(), &byte, 1, 0), -1);
  EXPECT_EQ(errno, EAGAIN);
  EXPECT_FALSE(accept_from(both.listener)) << "nobody else came";
}

TEST(Socket, WaitingEndsAtTheDeadline) {
  Connected both;
  ASSERT_TRUE(both.server);
  EXPECT_FALSE(wait_for(both.server, POLLIN, Clock::now() + std::chrono::milliseconds(20)));
  EXPECT_FALSE(wait_for(both.server, POLLOUT, Clock::now() - std::chrono::seconds(1))) << "too late already";
}

TEST(Socket, AResetIsNoOrderlyEnd) {
  Connected both;
  ASSERT_TRUE(both.server);
  close_with_reset(both.server);
  EXPECT_FALSE(both.server);
  ASSERT_TRUE(wait_for(both.client, POLLIN, soon()));
  char byte;
  EXPECT_EQ(::recv(both.client.get(), &byte, 1, 0), -1);
  EXPECT_EQ(errno, ECONNRESET);
}

TEST(Socket, ConnectingToNobodyIsRefusedWithTheAddress) {
  const std::uint16_t port = free_ports(1).front();
  const Address nobody{"127.0.0.1", std::to_string(port)};
  const std::string complaint = testing::complaint([&] { connect_to(nobody); });
  EXPECT_TRUE(complaint.starts_with(shown(nobody) + ": cannot connect: ")) << complaint;
}

TEST(Socket, TwoCannotListenAtOnePort) {
  const Descriptor first = listen_at({"127.0.0.1", "0"});
  const Address taken = bound_address(first);
  EXPECT_NE(testing::complaint([&] { listen_at(taken); }).find("cannot listen: "), std::string::npos);
}

TEST(Socket, FreePortsDiffer) {
  const std::vector<std::uint16_t> ports = free_ports(20);
  EXPECT_EQ(std::set(ports.begin(), ports.end()).size(), 20U);
}

}  // namespace
}  // namespace assay::system
