// All levels at once say what each says by itself.
#include "check/in_turn.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "check/check.hpp"
#include "support/judge/brute_force.hpp"
#include "support/random/random_history.hpp"

namespace assay::check {
namespace {

std::vector<Level> levels_in_random_order(Rng& rng) {
  std::vector<Level> all;
  for (const LevelInfo& level : levels()) all.push_back(level.level);
  for (std::size_t i = all.size(); i > 1; --i)
    std::swap(all[i - 1], all[rng.below(static_cast<std::uint32_t>(i))]);
  return all;
}

// What all levels at once say that one by itself does not; empty if nothing.
std::string difference(const History& h, const std::vector<Level>& all, const Options& options) {
  const std::vector<Outcome> together = check(h, all, options);
  for (std::size_t i = 0; i < all.size(); ++i) {
    Options alone_options = options;
    alone_options.threads = 1;
    const Outcome alone = check(h, std::span(&all[i], 1), alone_options)[0];
    const std::string name(info(all[i]).name);
    if (together[i].level != all[i]) return name + ": another level in its place";
    if (together[i].verdict != alone.verdict) return name + ": another verdict";
    // Repeatable read asks for no order of the transactions; whether there is one depends on the writers that
    // were chosen.
    if (all[i] == Level::repeatable_read || together[i].verdict != Verdict::holds) continue;
    if (together[i].order.empty() != alone.order.empty()) return name + ": an order in one of them";
  }
  return {};
}

void compare(const Shape& shape, std::uint64_t cases) {
  const std::uint64_t seed = random_seed();
  for (std::uint64_t i = 0; i < random_cases(cases); ++i) {
    Rng rng(seed + i);
    const History h = random_history(rng, shape);
    Options options;
    options.sessions = rng.chance(0.2) ? SessionOrder::ignore : SessionOrder::keep;
    options.threads = rng.between(1, 2);
    const std::vector<Level> all = levels_in_random_order(rng);
    const auto differs = [&](const History& g) { return !difference(g, all, options).empty(); };
    if (!differs(h)) continue;
    const History small = shrink(h, differs);
    FAIL() << "seed " << seed + i << "\n" << drawing(small) << "\n" << difference(small, all, options);
  }
}

TEST(InTurn, AllLevelsAtOnceSayWhatEachSaysByItselfOnRepeatedValues) {
  Shape shape = shape_with_everything();
  shape.duplicates = 0.5;
  shape.times = true;
  compare(shape, 500);
}

TEST(InTurn, AllLevelsAtOnceSayWhatEachSaysByItselfOnDistinctValues) {
  Shape shape;
  shape.times = true;
  compare(shape, 300);
}

}  // namespace
}  // namespace assay::check
