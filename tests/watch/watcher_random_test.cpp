// The judge of the watcher: however a history is cut into rounds, the verdict is that of the whole.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

#include "check/check.hpp"
#include "history/builder.hpp"
#include "history/rebuild.hpp"
#include "report/report.hpp"
#include "support/random/draw.hpp"
#include "support/random/random_history.hpp"
#include "support/random/random_stream.hpp"
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

const char* to_string(const Watched& watched) {
  return watched.violated ? "violated" : watched.undecided ? "undecided" : "holds";
}

// When it is said that no other session will send anything: at the start, as soon as all were heard of, or at
// the end. Or, wrongly, when the first was.
enum class Declared { at_the_start, when_all_were_heard, at_the_end, too_early };

// Feeds the history in random pieces, with random rounds of random size, sessions that are announced or come
// unexpected, one after the other or side by side, closed as they end or at the end, the state saved and
// loaded now and then.
Watched watch(const History& h, const WatchOptions& asked, std::uint64_t seed, bool stop_at_violation,
              bool wrongly = false) {
  Rng rng(seed);
  WatchOptions options = asked;
  // However few a round takes.
  if (rng.chance(0.5)) options.round_transactions = rng.between(1, 6);
  Watcher watcher(options);
  const Declared declared = wrongly ? Declared::too_early : static_cast<Declared>(rng.below(3));
  if (declared == Declared::at_the_start) {
    for (std::uint32_t s = 0; s < h.sessions(); ++s) watcher.admit(to_string(h.name(Session{s})));
    watcher.all_sessions_known();
  }
  std::vector<std::uint32_t> next(h.sessions(), 0);
  std::uint32_t left = h.transactions();
  // In a random order, each after so much of those before it.
  std::vector<std::uint32_t> order(h.sessions());
  for (std::uint32_t s = 0; s < order.size(); ++s) std::swap(order[s] = s, order[rng.below(s + 1)]);
  const double comes = rng.chance(0.5) ? 1 : rng.chance(0.5) ? 0.3 : 0.05;
  std::uint32_t here = 0;
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
        if (!round.counterexample) {
          ADD_FAILURE() << "a violation without a counterexample";
        } else if (round.reason.empty()) {
          EXPECT_EQ(verdict_of_whole(*round.counterexample, options), Verdict::violated)
              << drawing(*round.counterexample);
        }
      }
      if (!round.more || (stop_at_violation && watched.violated)) break;
    }
    if (!save) return;
    std::string bytes;
    watcher.save(bytes);
    watcher = Watcher::load(bytes, "saved");
    // Whoever goes on may want another horizon.
    constexpr std::uint64_t kHorizons[] = {0, 1, 5, 20};
    if (options.horizon > 0 && rng.chance(0.3)) watcher.set_horizon(kHorizons[rng.below(4)]);
  };
  const double round = rng.chance(0.5) ? 0.5 : 0.1;
  while (left > 0) {
    HistoryBuilder fragment;
    Rebuild rebuild(h, fragment);
    const bool all_ended = std::all_of(order.begin(), order.begin() + here, [&](std::uint32_t s) {
      return next[s] == h.transactions_of(Session{s}).size();
    });
    while (here < order.size() && (here == 0 || all_ended || rng.chance(comes))) {
      watcher.admit(to_string(h.name(Session{order[here++]})));
    }
    const bool all_heard = declared == Declared::when_all_were_heard && here == order.size();
    if (all_heard || declared == Declared::too_early) watcher.all_sessions_known();
    const Session s{order[rng.below(here)]};
    const IdRange<Txn> all = h.transactions_of(s);
    for (std::uint32_t n = rng.between(1, longest); n > 0 && next[index(s)] < all.size(); --n, --left) {
      rebuild.transaction(all[next[index(s)]++]);
    }
    watcher.add(fragment.finish());
    if (close_early && next[index(s)] == all.size()) watcher.close(to_string(h.name(s)));
    if (rng.chance(round)) decide();
    if (stop_at_violation && watched.violated) return watched;
  }
  if (rng.chance(0.5)) decide();
  watched.kept = watcher.kept();
  watcher.all_sessions_known();
  for (std::uint32_t s = 0; s < h.sessions(); ++s) watcher.close(to_string(h.name(Session{s})));
  decide();
  return watched;
}

bool disagrees(const History& h, const WatchOptions& options, std::uint64_t seed) {
  const Verdict whole = verdict_of_whole(h, options);
  const Watched watched = watch(h, options, seed, true);
  if (watched.violated) return whole != Verdict::violated;
  if (watched.undecided) {
    return whole != Verdict::undecided && options.unique_values && options.horizon == 0;
  }
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
      FAIL() << "seed " << seed + i << " cut " << cuts << " level " << info(options.level).name << ": whole "
             << report::name(verdict_of_whole(h, options)) << ", watched "
             << to_string(watch(h, options, cuts, true)) << "\n"
             << drawing(h) << "\nshrunk:\n"
             << drawing(still(h) ? shrink(h, still) : h);
    }
  }
}

struct Tally {
  std::uint64_t holds = 0, violated = 0, undecided = 0, dropped = 0, transactions = 0;
};

void compare_streams(const WatchOptions& options, double unknown, bool times, std::uint64_t cases) {
  const std::uint64_t seed = random_seed();
  Tally tally;
  for (std::uint64_t i = 0; i < cases; ++i) {
    Rng rng(seed + i);
    Stream stream = random_stream(rng);
    if (rng.chance(0.5)) stream.unknown = unknown;
    stream.times = times;
    const History h = run_stream(rng, stream, options.level);
    const std::uint64_t cut = rng.next();
    const Verdict whole = verdict_of_whole(h, options);
    const Watched watched = watch(h, options, cut, true);
    ++(whole == Verdict::holds ? tally.holds : tally.violated);
    if (whole == Verdict::holds) {
      tally.transactions += h.transactions();
      tally.dropped += h.transactions() - watched.kept.live - watched.kept.frozen - watched.kept.waiting;
    }
    if (watched.undecided && !watched.violated) ++tally.undecided;
    const bool agrees = watched.violated    ? whole == Verdict::violated
                        : watched.undecided ? whole == Verdict::undecided || options.horizon > 0
                                            : whole == Verdict::holds;
    if (agrees) continue;
    const auto still = [&](const History& smaller) {
      for (std::uint64_t c = 0; c < 50; ++c) {
        if (disagrees(smaller, options, cut + c)) return true;
      }
      return false;
    };
    FAIL() << "seed " << seed + i << " cut " << cut << " level " << info(options.level).name << ": whole "
           << report::name(whole) << ", watched " << to_string(watched) << "\n"
           << drawing(h) << "\nshrunk:\n"
           << drawing(still(h) ? shrink(h, still) : h);
  }
  std::cout << info(options.level).name << ": " << tally.holds << " hold, " << tally.violated << " do not, "
            << tally.undecided << " left undecided; of those that hold " << tally.dropped << " of "
            << tally.transactions << " transactions were dropped before the end\n";
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

TEST(WatchRandom, LevelsAtWhichNothingIsForgotten) {
  Shape shape = unique_values();
  shape.unknown = 0.05;
  for (const Level level : {Level::read_your_writes, Level::monotonic_reads, Level::monotonic_writes,
                            Level::writes_follow_reads, Level::repeatable_read}) {
    compare(shape, at(level), random_cases(100));
  }
}

WatchOptions with_horizon(Level level, std::uint64_t horizon) {
  WatchOptions options = at(level);
  options.horizon = horizon;
  return options;
}

TEST(WatchRandom, WeakLevelsWithHorizon) {
  Shape shape = unique_values();
  shape.unknown = 0.1;
  for (const Level level : {Level::read_atomic, Level::read_committed}) {
    for (const std::uint64_t horizon : {1U, 4U})
      compare(shape, with_horizon(level, horizon), random_cases(100));
  }
}

TEST(WatchRandom, PrefixStreams) {
  compare_streams(at(Level::prefix), 0.1, false, random_cases(500));
}

TEST(WatchRandom, Prefix) {
  Shape shape = unique_values();
  shape.unknown = 0.05;
  compare(shape, at(Level::prefix), random_cases(200));
}

TEST(WatchRandom, CausalStreams) {
  compare_streams(at(Level::causal), 0.1, false, random_cases(1000));
}

TEST(WatchRandom, WeakStreamsWithHorizon) {
  for (const Level level : {Level::read_atomic, Level::read_committed, Level::monotonic_atomic_view}) {
    for (const std::uint64_t horizon : {2U, 10U}) {
      compare_streams(with_horizon(level, horizon), 0.1, false, random_cases(200));
    }
  }
}

TEST(WatchRandom, ValuesThatRepeat) {
  Shape shape = shape_with_everything();
  WatchOptions options = at(Level::serializable);
  options.unique_values = false;
  compare(shape, options, random_cases(200));
}

TEST(WatchRandom, SerializableStreams) {
  compare_streams(at(Level::serializable), 0.1, false, random_cases(1000));
}

TEST(WatchRandom, StrictSerializableStreams) {
  compare_streams(at(Level::strict_serializable), 0.1, true, random_cases(500));
}

TEST(WatchRandom, SnapshotIsolationStreams) {
  compare_streams(at(Level::snapshot_isolation), 0.1, false, random_cases(500));
}

TEST(WatchRandom, StrongSnapshotIsolationStreams) {
  compare_streams(at(Level::strong_snapshot_isolation), 0.1, true, random_cases(500));
}

// Cobra, section 4.3: the third transaction is frozen and overwritten, and yet it closes a cycle once others
// are read.
TEST(WatchRandom, AFrozenTransactionThatTheFutureTurns) {
  const std::string before =
      "a: w(d,1) w(p,1) | r(f,0) w(f,1) | r(f,5) w(f,6)\n"
      "b: r(d,1) w(d,2) | r(f,1) w(f,2) | r(f,6) w(f,7)\n"
      "c: w(c,1) w(d,3) | r(f,2) w(f,3) | r(f,7) w(f,8)\n"
      "d: r(p,1) w(c,2) | r(f,3) w(f,4) | r(f,8) w(f,9)\n"
      "e: r(c,1) w(c,3) | r(f,4) w(f,5) | r(f,9) w(f,10)\n";
  const std::string after = before + "a: r(d,2)\nb: r(c,3)\n";
  for (std::uint64_t cut = 0; cut < 100; ++cut) {
    EXPECT_FALSE(watch(draw(before), at(Level::serializable), cut, true).violated);
    EXPECT_TRUE(watch(draw(after), at(Level::serializable), cut, true).violated);
  }
}

// Watching on after a violation: what is told later is a violation too, and it ends.
TEST(WatchRandom, GoesOnAfterViolations) {
  const std::uint64_t seed = random_seed();
  for (std::uint64_t i = 0; i < random_cases(200); ++i) {
    Rng rng(seed + i);
    constexpr Level kLevels[] = {Level::serializable, Level::snapshot_isolation, Level::causal};
    const WatchOptions options = at(kLevels[rng.below(3)]);
    const History h = run_stream(rng, random_stream(rng), options.level);
    const bool violated = verdict_of_whole(h, options) == Verdict::violated;
    EXPECT_EQ(watch(h, options, rng.next(), false).violated, violated) << "seed " << seed + i;
  }
}

// Who says wrongly that all sessions are known may hear of values that nobody wrote, but never "holds" of what
// does not.
TEST(WatchRandom, SessionsThatComeAlthoughAllWereKnown) {
  const std::uint64_t seed = random_seed();
  std::uint64_t held = 0;
  for (std::uint64_t i = 0; i < random_cases(600); ++i) {
    Rng rng(seed + i);
    constexpr Level kLevels[] = {Level::serializable, Level::snapshot_isolation, Level::causal,
                                 Level::strict_serializable, Level::read_committed};
    const WatchOptions options = at(kLevels[rng.below(5)]);
    Stream stream = random_stream(rng);
    stream.times = info(options.level).real_time;
    const History h = run_stream(rng, stream, options.level);
    const Watched watched = watch(h, options, rng.next(), true, true);
    if (watched.violated || watched.undecided) continue;
    ++held;
    EXPECT_EQ(verdict_of_whole(h, options), Verdict::holds) << "seed " << seed + i << "\n" << drawing(h);
  }
  EXPECT_GT(held, 0U);
}

TEST(WatchRandom, Lists) {
  compare(shape_of_lists(), at(Level::serializable), random_cases(200));
}

}  // namespace
}  // namespace assay::watch
