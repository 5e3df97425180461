#include "record/ring.hpp"

#include <gtest/gtest.h>

#include <string>
#include <thread>

namespace assay::record {
namespace {

TEST(Ring, PassesMoreThanItHolds) {
  Ring ring;
  std::string sent;
  for (int i = 0; i < 500'000; ++i) sent += std::to_string(i);  // several times the ring
  std::thread session([&] {
    for (std::size_t at = 0; at < sent.size(); at += 1'000'000)
      ring.push(std::string_view(sent).substr(at, 1'000'000));
  });
  std::string taken;
  while (taken.size() < sent.size()) ring.take(taken);
  session.join();
  EXPECT_EQ(taken, sent);
}

TEST(Ring, TellsSinceWhenATransactionIsOpen) {
  Ring ring;
  EXPECT_EQ(ring.open_since(), Ring::kIdle);
  ring.opening();
  EXPECT_EQ(ring.open_since(), INT64_MIN) << "its start is not known yet: any must be expected";
  ring.opened(42);
  EXPECT_EQ(ring.open_since(), 42);
  ring.closed();
  EXPECT_EQ(ring.open_since(), Ring::kIdle);
}

}  // namespace
}  // namespace assay::record
