#include "memory/runs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace assay {
namespace {

void every_number_lies_in_its_run(const std::vector<std::uint32_t>& lengths) {
  std::vector<std::uint32_t> begin{0}, run_of;
  for (std::uint32_t run = 0; run < lengths.size(); ++run) {
    begin.push_back(begin.back() + lengths[run]);
    run_of.insert(run_of.end(), lengths[run], run);
  }
  const Runs runs(begin);
  ASSERT_EQ(runs.size(), lengths.size());
  for (std::uint32_t number = 0; number < run_of.size(); ++number)
    ASSERT_EQ(runs.run_of(number), run_of[number]) << number << " of " << run_of.size();
}

TEST(Runs, NoneAtAll) {
  EXPECT_EQ(Runs().size(), 0U);
  EXPECT_EQ(Runs(std::vector<std::uint32_t>{0, 0, 0}).size(), 2U);
}

TEST(Runs, OneLongAmongManyShort) {
  std::vector<std::uint32_t> lengths(1000, 1);
  for (const std::size_t at : {std::size_t{0}, std::size_t{500}, std::size_t{999}}) {
    lengths[at] = 100000;
    every_number_lies_in_its_run(lengths);
    lengths[at] = 1;
  }
}

TEST(Runs, OfAnyLengthsEvenNone) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    std::vector<std::uint32_t> lengths(1 + random() % 40);
    const std::uint32_t most = 1U << random() % 9;
    for (std::uint32_t& length : lengths) length = static_cast<std::uint32_t>(random() % most);
    every_number_lies_in_its_run(lengths);
  }
}

}  // namespace
}  // namespace assay
