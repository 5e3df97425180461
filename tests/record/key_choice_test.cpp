#include "record/key_choice.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace assay::record {
namespace {

std::vector<double> frequencies(std::uint32_t keys, const KeyDistribution& distribution) {
  constexpr int kDraws = 400000;
  const KeyChoice choice(keys, distribution);
  Random random(7);
  std::vector<double> frequency(keys, 0);
  for (int i = 0; i < kDraws; ++i) frequency.at(choice.draw(random)) += 1.0 / kDraws;
  return frequency;
}

TEST(KeyChoice, ZipfFollowsThePowerLaw) {
  for (const double theta : {0.0, 0.5, 0.99, 1.0, 2.0}) {
    const std::vector<double> frequency = frequencies(100, {KeyDistribution::Kind::zipf, theta});
    double total = 0;
    for (int i = 1; i <= 100; ++i) total += std::pow(i, -theta);
    for (int i = 1; i <= 100; ++i) {
      EXPECT_NEAR(frequency[static_cast<std::size_t>(i) - 1], std::pow(i, -theta) / total, 0.004) << theta;
    }
  }
}

TEST(KeyChoice, UniformIsFlatAndHotspotHasTwoSteps) {
  for (const double f : frequencies(50, {})) EXPECT_NEAR(f, 0.02, 0.002);
  const std::vector<double> hot = frequencies(50, {KeyDistribution::Kind::hotspot, 0, 0.1, 0.9});
  for (std::size_t k = 0; k < 50; ++k) EXPECT_NEAR(hot[k], k < 5 ? 0.9 / 5 : 0.1 / 45, 0.004);
}

TEST(KeyChoice, OneKeyIsAlwaysTheOne) {
  for (const auto kind :
       {KeyDistribution::Kind::uniform, KeyDistribution::Kind::zipf, KeyDistribution::Kind::hotspot}) {
    EXPECT_NEAR(frequencies(1, {kind})[0], 1, 1e-6);
  }
}

TEST(KeyChoice, ExtremeSkewStaysInBounds) {
  const std::vector<double> frequency = frequencies(1000, {KeyDistribution::Kind::zipf, 8});
  EXPECT_NEAR(frequency[0], 0.9959, 0.001);
}

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
}  // namespace assay::record
