// Watches that are simulated whole, thousands of them: whatever befalls the watcher, its disk and its network,
// nothing that was acknowledged is lost, nothing is told twice, and the verdict is that of the whole.
#include <gtest/gtest.h>
#include <malloc.h>

#include <string>

#include "support/random/random_history.hpp"
#include "support/simulation/watch.hpp"

namespace assay::watch::simulation {
namespace {

// What one simulation gives back the next one needs: most of the time would go into asking the system for it.
void keep_freed_memory() {
  constexpr int kMuch = 1 << 28;
  ::mallopt(M_TRIM_THRESHOLD, kMuch);
  ::mallopt(M_MMAP_THRESHOLD, kMuch);
}

TEST(WatchSimulation, WhateverHappensTheVerdictIsThatOfTheWhole) {
  keep_freed_memory();
  const std::uint64_t seed = random_seed();
  for (std::uint64_t i = 0; i < random_cases(2000); ++i) {
    const Plan plan = plan_of(seed + i);
    const std::string wrong = simulate(plan);
    if (wrong.empty()) continue;
    const Plan small = shrunk(plan);
    FAIL() << "seed " << seed + i << ": " << wrong << "\nshrunk: " << simulate(small) << "\n" << shown(small);
  }
}

// Each of them found something that was wrong: what a killed process had written counted before it was safe; a
// header of the log, or a line of what was reported, that a crash left with the right length and other bytes.
TEST(WatchSimulation, SeedsThatOnceFailed) {
  for (const std::uint64_t seed :
       {std::uint64_t{114209670000636}, std::uint64_t{1471327716001222}, std::uint64_t{1182491501005687}})
    EXPECT_EQ(simulate(plan_of(seed)), "") << seed;
}

TEST(WatchSimulation, ASeedSaysAll) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    EXPECT_EQ(shown(plan_of(seed)), shown(plan_of(seed)));
    EXPECT_EQ(simulate(plan_of(seed)), simulate(plan_of(seed)));
  }
}

}  // namespace
}  // namespace assay::watch::simulation
