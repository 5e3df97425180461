#include "record/generate/key_choice.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace assay::record {
namespace {

std::vector<double> frequencies(std::uint32_t keys, const KeyDistribution& distribution) {
  constexpr int kDraws = 400000;
  const KeyChoice choice(keys, distribution);
  system::Random random(7);
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

}  // namespace
}  // namespace assay::record
