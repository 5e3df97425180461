#include "support/judge/replay.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "check/opinion/sat.hpp"
#include "check/opinion/width.hpp"
#include "check/reads.hpp"
#include "support/judge/brute_force.hpp"
#include "support/random/draw.hpp"
#include "support/random/random_history.hpp"

namespace assay::verify {
namespace {

using check::Event;
using enum Level;
using Order = std::vector<Event>;
constexpr auto kBegin = Event::Side::begin;
constexpr auto kCommit = Event::Side::commit;

std::optional<std::string> replay_by_default(const History& h, Level level, const Order& order) {
  return replay(h, level, true, std::chrono::nanoseconds{0}, order);
}

Order commits(std::initializer_list<std::uint32_t> transactions) {
  Order order;
  for (const std::uint32_t t : transactions) order.push_back({Txn{t}, kCommit});
  return order;
}

TEST(Replay, RunsASerialOrder) {
  const History h = draw("a: w(x,1) | r(x,2)\nb: w(x,2)\nc: w(x,3)?\nd: w(x,4)!");
  EXPECT_FALSE(replay_by_default(h, serializable, commits({0, 2, 1})));
  EXPECT_FALSE(replay_by_default(h, serializable, commits({0, 2, 1, 3}))) << "its fate is unknown";
  EXPECT_TRUE(replay_by_default(h, serializable, commits({2, 0, 1}))) << "1 would read 1";
  EXPECT_TRUE(replay_by_default(h, serializable, commits({1, 0, 2}))) << "session order";
  EXPECT_TRUE(replay_by_default(h, serializable, commits({0, 2}))) << "1 is missing";
  EXPECT_TRUE(replay_by_default(h, serializable, commits({0, 2, 1, 1})));
  EXPECT_TRUE(replay_by_default(h, serializable, commits({0, 2, 1, 4}))) << "4 aborted";
  EXPECT_TRUE(replay_by_default(h, serializable, commits({0, 2, 1, 9}))) << "there is no 9";
}

TEST(Replay, RunsBeginsAndCommits) {
  const History h = draw("a: r(x,0) w(x,1)\nb: r(x,0) w(x,2)");
  const Order lost_update{{Txn{0}, kBegin}, {Txn{1}, kBegin}, {Txn{0}, kCommit}, {Txn{1}, kCommit}};
  EXPECT_FALSE(replay_by_default(h, prefix, lost_update));
  EXPECT_TRUE(replay_by_default(h, snapshot_isolation, lost_update)) << "they overlap";
  EXPECT_TRUE(replay_by_default(h, prefix, commits({0, 1}))) << "nobody began";
  EXPECT_TRUE(replay_by_default(h, prefix, {lost_update.begin(), lost_update.end() - 1}));
}

TEST(Replay, ReadsTheClock) {
  const History h = draw("a: @0-1 w(x,1)\nb: @2-3 r(x,0)");
  EXPECT_FALSE(replay_by_default(h, serializable, commits({1, 0})));
  EXPECT_TRUE(replay_by_default(h, strict_serializable, commits({1, 0})));
  EXPECT_FALSE(replay(h, strict_serializable, true, std::chrono::nanoseconds{1}, commits({1, 0})));
  EXPECT_TRUE(replay_by_default(draw("a: w(x,1)"), strict_serializable, commits({0}))) << "no times";
}

TEST(Replay, EvaluatesAxioms) {
  const History h = draw("a: w(x,1)\nb: r(x,1) w(y,1)\nc: r(y,1) r(x,0)");
  EXPECT_FALSE(replay_by_default(h, read_atomic, commits({0, 1, 2})));
  EXPECT_TRUE(replay_by_default(h, causal, commits({0, 1, 2})));
  EXPECT_TRUE(replay_by_default(h, read_atomic, commits({1, 0, 2}))) << "reads-from";
}

TEST(Replay, RefusesWhatItDoesNotUnderstand) {
  EXPECT_TRUE(replay_by_default(draw("a: a(x,1) | w(x,2)"), serializable, commits({0, 1})));
}

// Changes an order a little, or shuffles it.
Order mutated(Rng& rng, Order order) {
  const auto somewhere = [&] { return rng.below(static_cast<std::uint32_t>(order.size())); };
  if (order.empty()) return order;
  switch (rng.below(5)) {
    case 0:
      order.erase(order.begin() + somewhere());
      break;
    case 1:
      order.push_back(order[somewhere()]);
      break;
    case 2:
      for (std::size_t i = order.size(); i > 1; --i) {
        std::swap(order[i - 1], order[rng.below(static_cast<std::uint32_t>(i))]);
      }
      break;
    case 3:
      if (const std::uint32_t i = somewhere(); i > 0) std::swap(order[i - 1], order[i]);
      break;
    default:
      std::swap(order[somewhere()], order[somewhere()]);
  }
  return order;
}

Order shuffled_commits(Rng& rng, const History& h) {
  Order order;
  for (const Txn t : h.all_transactions()) {
    const bool there =
        h.status(t) == Status::committed || (h.status(t) == Status::unknown && rng.chance(0.5));
    if (there)
      order.insert(order.begin() + rng.below(static_cast<std::uint32_t>(order.size()) + 1), {t, kCommit});
  }
  return order;
}

// What a certificate can say of whom the ambiguous reads saw: each combination of possible writers.
std::vector<std::string> all_sources(const History& h) {
  const check::Reads reads = check::resolve_reads(h);
  std::vector<std::string> found{""};
  if (!reads.bad_reads().empty()) return found;
  for (const Txn t : h.all_transactions()) {
    for (std::uint32_t i = 0; i < reads.reads_of(t).size(); ++i) {
      const check::Source source = reads.reads_of(t)[i];
      if (!source.is_ambiguous()) continue;
      const Op op = check::Reads::operation_of_read(h, t, i);
      std::vector<std::string> longer;
      for (const std::string& lines : found) {
        for (const check::Write w : reads.candidates(source.set())) {
          const std::string writer = reads.is_initial(w) ? "init" : std::to_string(index(reads.writer(w)));
          longer.push_back(lines + "saw " + std::to_string(index(t)) + "." +
                           std::to_string(index(op) - index(h.operations_of(t)[0])) + " " + writer + "\n");
        }
      }
      found = std::move(longer);
    }
  }
  found.emplace_back("");
  return found;
}

// Below prefix an order is right if it is so with some sources.
bool accepts(const History& h, Level level, bool sessions, std::chrono::nanoseconds drift,
             const Order& order) {
  if (implies(level, prefix)) return !replay(h, level, sessions, drift, order);
  const std::vector<std::string> sources = all_sources(h);
  return std::any_of(sources.begin(), sources.end(), [&](const std::string& lines) {
    return !replay(h, level, sessions, drift, order, lines);
  });
}

bool judged_differently(const History& h, Level level, bool sessions, const Order& order) {
  const std::chrono::nanoseconds drift{sessions ? 0 : 1};
  return accepts(h, level, sessions, drift, order) !=
         brute_force_accepts(h, level, {.session_order = sessions, .drift = drift}, order);
}

std::string told(const History& h, Level level, const Order& order) {
  std::string text = std::string(info(level).name) + "\n" + drawing(h) + "\n";
  for (const Event& e : order) {
    text += (e.side == kBegin ? " begin " : " commit ") + std::to_string(index(e.txn));
  }
  return text;
}

void compare_weak(const Shape& shape, std::uint64_t cases) {
  const std::uint64_t seed = random_seed();
  std::array<std::uint64_t, kLevels> accepted{};
  for (std::uint64_t i = 0; i < random_cases(cases); ++i) {
    Rng rng(seed + i);
    const History h = random_history(rng, shape);
    for (const LevelInfo& level : levels()) {
      if (implies(level.level, prefix) && level.level != serializable) continue;
      for (int tries = 0; tries < 4; ++tries) {
        const bool sessions = rng.chance(0.5);
        const Order order = shuffled_commits(rng, h);
        ASSERT_FALSE(judged_differently(h, level.level, sessions, order))
            << "seed " << seed + i << (sessions ? "" : " without sessions") << "\n"
            << told(h, level.level, order);
        accepted[static_cast<std::size_t>(level.level)] +=
            accepts(h, level.level, sessions, std::chrono::nanoseconds{0}, order);
      }
    }
  }
  if (random_cases(cases) < 100) return;  // too few to expect each verdict
  for (const LevelInfo& level : levels()) {
    if (implies(level.level, prefix) && level.level != serializable) continue;
    EXPECT_GT(accepted[static_cast<std::size_t>(level.level)], 0U) << level.name;
  }
}

TEST(Replay, JudgesCommitOrdersAsBruteForceDoes) {
  compare_weak(Shape{}, 500);
  compare_weak(shape_with_everything(), 500);
  compare_weak(shape_of_lists(), 500);
  Shape many_candidates = shape_with_everything();
  many_candidates.duplicates = 0.6;
  compare_weak(many_candidates, 500);
}

void compare_strong(const Shape& shape, std::uint64_t cases) {
  const std::uint64_t seed = random_seed();
  for (std::uint64_t i = 0; i < random_cases(cases); ++i) {
    Rng rng(seed + i);
    const History h = random_history(rng, shape);
    const check::Reads reads = check::resolve_reads(h);
    for (const Level level :
         {prefix, snapshot_isolation, serializable, strong_snapshot_isolation, strict_serializable}) {
      if (info(level).real_time && !h.has_times()) continue;
      const bool sessions = rng.chance(0.5);
      check::Options options;
      options.sessions = sessions ? check::SessionOrder::keep : check::SessionOrder::ignore;
      options.clock_drift = std::chrono::nanoseconds{sessions ? 0 : 1};
      for (const auto decide : {&check::decide_by_width, &check::decide_by_sat}) {
        const check::Outcome outcome = decide(h, reads, level, options);
        if (outcome.verdict != check::Verdict::holds) continue;
        const auto wrong = replay(h, level, sessions, *options.clock_drift, outcome.order);
        ASSERT_FALSE(wrong) << *wrong << "\n" << outcome.method << "\n" << told(h, level, outcome.order);
        for (int tries = 0; tries < 4; ++tries) {
          Order order = mutated(rng, outcome.order);
          if (rng.chance(0.3)) order = mutated(rng, std::move(order));
          ASSERT_FALSE(judged_differently(h, level, sessions, order))
              << "seed " << seed + i << (sessions ? "" : " without sessions") << "\n"
              << told(h, level, order);
        }
      }
    }
  }
}

TEST(Replay, AcceptsTheOrdersOfBothMethodsAndJudgesTheirMutations) {
  compare_strong(Shape{}, 300);
  compare_strong(shape_with_everything(), 500);
  compare_strong(shape_of_lists(), 500);
  Shape sparse;
  sparse.max_transactions = 8;
  sparse.max_keys = 8;
  sparse.max_operations = 2;
  compare_strong(sparse, 300);
}

}  // namespace
}  // namespace assay::verify
