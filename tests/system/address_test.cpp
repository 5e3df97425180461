#include "system/address.hpp"

#include <gtest/gtest.h>

#include "support/inputs.hpp"

namespace assay::system {
namespace {

using testing::complaint;

TEST(Address, APortAloneIsOfTheLoopback) {
  EXPECT_EQ(shown(address_of("7420")), "127.0.0.1:7420");
  EXPECT_EQ(shown(address_of(":0")), "127.0.0.1:0");
}

TEST(Address, AHostStandsBeforeTheLastColon) {
  EXPECT_EQ(address_of("watcher.example.org:80").host, "watcher.example.org");
  EXPECT_EQ(address_of("watcher.example.org:80").port, "80");
}

TEST(Address, IPv6StandsInBrackets) {
  EXPECT_EQ(address_of("[::1]:7420").host, "::1");
  EXPECT_EQ(shown(address_of("[::1]:7420")), "[::1]:7420");
  EXPECT_NE(complaint([] { address_of("::1:7420"); }).find("brackets"), std::string::npos);
}

TEST(Address, APortIsANumberUpTo65535) {
  EXPECT_EQ(address_of("65535").port, "65535");
  for (const char* wrong : {"", "host:", "host:http", "65536", "-1", "1 ", "123456", "+1"})
    EXPECT_NE(complaint([&] { address_of(wrong); }).find("a port from 0 to 65535"), std::string::npos)
        << wrong;
}

}  // namespace
}  // namespace assay::system
