// The judge of the watcher: however a history is cut into rounds, the verdict is that of the whole.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "check/check.hpp"
#include "history/builder.hpp"
#include "history/replay.hpp"
#include "support/draw.hpp"
#include "support/random_history.hpp"
#include "watch/watcher.hpp"

namespace assay::watch {
namespace {

using check::Verdict;

Verdict verdict_of_whole(const History& h, const WatchOptions& options) {
  check::Options plain;
  plain.clock_drift = std::chrono::nanoseconds(options.clock_drift);
  return check::check(h, std::span(&options.level, 1), plain).front().verdict;
}

struct Watched {
  bool violated = false;
  bool undecided = false;  // at the end
  Kept kept;
};

// Feeds the history in random pieces, with random rounds, sessions closed as they end or at the end, the
// state saved and loaded now and then.
Watched watch(const History& h, const WatchOptions& options, std::uint64_t seed, bool stop_at_violation) {
  Rng rng(seed);
  Watcher watcher(options);
  for (std::uint32_t s = 0; s < h.sessions(); ++s) watcher.admit(to_string(h.name(Session{s})));
  std::vector<std::uint32_t> next(h.sessions(), 0);
  std::uint32_t left = h.transactions();
  const bool close_early = rng.chance(0.3);
  const bool save = rng.chance(0.2);
  // Recorded together, sessions advance side by side; sometimes one runs ahead.
  const std::uint32_t longest = rng.chance(0.3) ? 8 : 2;
  Watched watched;
  const auto decide = [&] {
    while (true) {
      const Round round = watcher.decide();
      watched.undecided = round.verdict == Verdict::undecided;
      if (round.verdict == Verdict::violated) {
        watched.violated = true;
        EXPECT_TRUE(round.counterexample.has_value());
      }
      if (!round.more || (stop_at_violation && watched.violated)) break;
    }
    if (!save) return;
    std::string bytes;
    watcher.save(bytes);
    watcher = Watcher::load(bytes, "saved");
  };
  const double round = rng.chance(0.5) ? 0.5 : 0.1;
  while (left > 0) {
    HistoryBuilder fragment;
    Replay replay(h, fragment);
    const Session s{rng.below(h.sessions())};
    const IdRange<Txn> all = h.transactions_of(s);
    for (std::uint32_t n = rng.between(1, longest); n > 0 && next[index(s)] < all.size(); --n, --left) {
      replay.transaction(all[next[index(s)]++]);
    }
    watcher.add(fragment.finish());
    if (close_early && next[index(s)] == all.size()) watcher.close(to_string(h.name(s)));
    if (rng.chance(round)) decide();
    if (stop_at_violation && watched.violated) return watched;
  }
  if (rng.chance(0.5)) decide();
  watched.kept = watcher.kept();
  for (std::uint32_t s = 0; s < h.sessions(); ++s) watcher.close(to_string(h.name(Session{s})));
  decide();
  return watched;
}

bool disagrees(const History& h, const WatchOptions& options, std::uint64_t seed) {
  const Verdict whole = verdict_of_whole(h, options);
  const Watched watched = watch(h, options, seed, true);
  if (watched.violated) return whole != Verdict::violated;
  if (watched.undecided) return whole != Verdict::undecided && options.unique_values;
  return whole != Verdict::holds;
}

void compare(const Shape& shape, const WatchOptions& options, std::uint64_t cases) {
  const std::uint64_t seed = random_seed();
  for (std::uint64_t i = 0; i < cases; ++i) {
    Rng rng(seed + i);
    const History h = random_history(rng, shape);
    for (std::uint32_t cut = 0; cut < 3; ++cut) {
      const std::uint64_t cuts = rng.next();
      if (!disagrees(h, options, cuts)) continue;
      const auto still = [&](const History& smaller) {
        for (std::uint64_t c = 0; c < 50; ++c) {
          if (disagrees(smaller, options, cuts + c)) return true;
        }
        return false;
      };
      FAIL() << "seed " << seed + i << " cut " << cuts << " level " << info(options.level).name << "\n"
             << drawing(h) << "\nshrunk:\n"
             << drawing(shrink(h, still));
    }
  }
}

WatchOptions at(Level level) {
  WatchOptions options;
  options.level = level;
  options.clock_drift = 1;
  return options;
}

Shape unique_values() {
  Shape shape;
  shape.max_transactions = 12;
  shape.max_sessions = 4;
  shape.aborted = 0.1;
  return shape;
}

TEST(WatchRandom, Serializable) {
  compare(unique_values(), at(Level::serializable), random_cases(600));
}

TEST(WatchRandom, SerializableOfUnknownFate) {
  Shape shape = unique_values();
  shape.unknown = 0.15;
  compare(shape, at(Level::serializable), random_cases(400));
}

TEST(WatchRandom, StrictSerializable) {
  Shape shape = unique_values();
  shape.times = true;
  shape.unknown = 0.05;
  compare(shape, at(Level::strict_serializable), random_cases(400));
}

TEST(WatchRandom, SnapshotIsolation) {
  Shape shape = unique_values();
  shape.unknown = 0.05;
  compare(shape, at(Level::snapshot_isolation), random_cases(200));
}

TEST(WatchRandom, WeakLevels) {
  Shape shape = unique_values();
  shape.unknown = 0.05;
  for (const Level level : {Level::causal, Level::read_atomic, Level::read_committed}) {
    compare(shape, at(level), random_cases(100));
  }
}

TEST(WatchRandom, ValuesThatRepeat) {
  Shape shape = shape_with_everything();
  WatchOptions options = at(Level::serializable);
  options.unique_values = false;
  compare(shape, options, random_cases(200));
}

TEST(WatchRandom, Lists) {
  compare(shape_of_lists(), at(Level::serializable), random_cases(200));
}

}  // namespace
}  // namespace assay::watch
