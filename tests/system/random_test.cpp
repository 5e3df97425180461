#include "system/random.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace assay::system {
namespace {

// The reference values of the generator for the state that splitmix64 makes of seed 0.
TEST(Random, IsXoshiroSeededBySplitmix) {
  Random random(0);
  EXPECT_EQ(random.next(), 0x99EC5F36CB75F2B4ULL);
  EXPECT_EQ(random.next(), 0xBF6E1F784956452AULL);
}

TEST(Random, BelowIsUniformForSmallAndLargeBounds) {
  Random random(3);
  std::vector<int> counts(7, 0);
  for (int i = 0; i < 70000; ++i) ++counts[random.below(7U)];
  for (const int count : counts) EXPECT_NEAR(count, 10000, 500);
  const std::uint64_t large = (std::uint64_t{1} << 40) + 12345;
  double sum = 0;
  for (int i = 0; i < 20000; ++i) {
    const std::uint64_t draw = random.below(large);
    ASSERT_LT(draw, large);
    sum += static_cast<double>(draw) / static_cast<double>(large) / 20000;
  }
  EXPECT_NEAR(sum, 0.5, 0.01);
}

TEST(Random, SharesOfNoneAndAllAreExact) {
  Random random(3);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_FALSE(random.chance(Share(0)));
    EXPECT_TRUE(random.chance(Share(1)));
  }
}

}  // namespace
}  // namespace assay::system
