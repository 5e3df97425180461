#include "record/latency.hpp"

#include <gtest/gtest.h>

namespace assay::record {
namespace {

TEST(Latencies, PercentilesAreRightToAFewPercent) {
  Latencies latencies;
  for (int i = 1; i <= 1000; ++i) latencies.add(std::chrono::microseconds(i));
  EXPECT_NEAR(latencies.percentile(50), 500e-6, 20e-6);
  EXPECT_NEAR(latencies.percentile(99), 990e-6, 40e-6);
  EXPECT_EQ(Latencies().percentile(50), 0);
}

TEST(Latencies, OfSeveralSessionsAddUp) {
  Latencies fast, slow;
  for (int i = 0; i < 90; ++i) fast.add(std::chrono::microseconds(1));
  for (int i = 0; i < 10; ++i) slow.add(std::chrono::seconds(1));
  fast.add(slow);
  EXPECT_EQ(fast.count(), 100U);
  EXPECT_NEAR(fast.percentile(90), 1e-6, 1e-7);
  EXPECT_NEAR(fast.percentile(91), 1, 0.05);
}

TEST(Latencies, TakeAnyDuration) {
  Latencies latencies;
  latencies.add(std::chrono::nanoseconds(-5));
  EXPECT_EQ(latencies.percentile(100), 0);
  latencies.add(std::chrono::nanoseconds::max());
  EXPECT_GT(latencies.percentile(100), 9e9);
}

}  // namespace
}  // namespace assay::record
