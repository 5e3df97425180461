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

const char* to_string(const Watched& watched) {
  return watched.violated ? "violated" : watched.undecided ? "undecided" : "holds";
}

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
    const Session s{rng.below(h.sessions())};
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

// Longer histories than random_history makes, in which sessions hear of each other often enough for things to
// freeze: a serial run with fences (every session now and then reads and writes one key), in which afterwards
// at most a few reads are made to see another version.
struct Stream {
  std::uint32_t transactions = 30, sessions = 4, keys = 5, operations = 3;
  double reads = 0.5, blind = 0.5, fence = 0.3, aborted = 0.05, unknown = 0;
  bool times = false;
};

Stream random_stream(Rng& rng) {
  Stream stream;
  stream.transactions = rng.between(8, 40);
  stream.sessions = rng.between(1, 5);
  stream.keys = rng.between(1, 6);
  stream.operations = rng.between(1, 4);
  stream.reads = rng.chance(0.3) ? 0.2 : 0.6;
  stream.blind = rng.chance(0.5) ? 0.95 : 0.4;
  stream.fence = rng.chance(0.3) ? 0.1 : 0.4;
  stream.aborted = rng.chance(0.5) ? 0.1 : 0;
  return stream;
}

struct Operation {
  bool write;
  std::uint32_t key, value;
};
struct Transaction {
  std::uint32_t session;
  Status status;
  std::vector<Operation> operations;
  std::int64_t start = 0, end = 0;
};

// What a run left: the transactions as they took effect, and how many values each key was given.
struct Ran {
  std::vector<Transaction> transactions;
  std::vector<std::uint32_t> written;
};

// A transaction that sees `seen` and leaves its own writes there.
Transaction random_transaction(Rng& rng, const Stream& stream, std::vector<std::uint32_t>& seen,
                               std::vector<std::uint32_t>& written) {
  Transaction t{rng.below(stream.sessions), Status::committed, {}};
  if (rng.chance(stream.aborted)) t.status = Status::aborted;
  if (rng.chance(stream.unknown)) t.status = Status::unknown;
  const auto read = [&](std::uint32_t key) { t.operations.push_back({false, key, seen[key]}); };
  const auto write = [&](std::uint32_t key) {
    t.operations.push_back({true, key, ++written[key]});
    seen[key] = written[key];
  };
  if (rng.chance(stream.fence)) {
    read(0);
    write(0);
    return t;
  }
  for (std::uint32_t n = rng.between(1, stream.operations); n > 0; --n) {
    const std::uint32_t key = rng.between(1, stream.keys);
    const bool reads = rng.chance(stream.reads);
    if (reads || !rng.chance(stream.blind)) read(key);
    if (!reads) write(key);
  }
  return t;
}

bool takes_effect(Rng& rng, const Transaction& t) {
  return t.status == Status::committed || (t.status == Status::unknown && rng.chance(0.5));
}

Ran run_serially(Rng& rng, const Stream& stream) {
  Ran ran;
  ran.written.assign(stream.keys + 1, 0);
  std::vector<std::uint32_t> current(stream.keys + 1, 0);
  std::vector<std::int64_t> busy_until(stream.sessions, 0);
  const bool early_commits = rng.chance(0.5);
  for (std::uint32_t i = 0; i < stream.transactions; ++i) {
    std::vector<std::uint32_t> seen = current;
    Transaction t = random_transaction(rng, stream, seen, ran.written);
    if (takes_effect(rng, t)) current = seen;
    // It takes effect at time 10 * i; what surrounds that may overlap others.
    const std::int64_t now = 10 * std::int64_t{i};
    t.start = std::max(busy_until[t.session], now - rng.between(0, early_commits ? 3 : 30));
    t.end = std::max(t.start, now) + rng.between(0, early_commits ? 3 : 30);
    busy_until[t.session] = t.end;
    ran.transactions.push_back(std::move(t));
  }
  return ran;
}

// Every session has a replica of its own and hears now and then of all that another has seen; of two writes
// of a key the later by Lamport's clock wins. Causal, and often no more than that.
Ran run_on_replicas(Rng& rng, const Stream& stream) {
  struct Winner {
    std::uint64_t time = 0;  // Lamport's, made distinct
    std::uint32_t value = 0;
  };
  struct Replica {
    std::uint64_t time = 0;
    std::vector<Winner> rows;
  };
  Ran ran;
  ran.written.assign(stream.keys + 1, 0);
  std::vector<Replica> replicas(stream.sessions, {0, std::vector<Winner>(stream.keys + 1)});
  const double hears = rng.chance(0.5) ? 0.7 : 0.3;
  for (std::uint32_t i = 0; i < stream.transactions; ++i) {
    std::vector<std::uint32_t> seen(stream.keys + 1);
    Replica& own = replicas[rng.below(stream.sessions)];
    while (rng.chance(hears)) {
      const Replica& other = replicas[rng.below(stream.sessions)];
      own.time = std::max(own.time, other.time);
      for (std::uint32_t k = 0; k <= stream.keys; ++k) {
        if (other.rows[k].time > own.rows[k].time) own.rows[k] = other.rows[k];
      }
    }
    for (std::uint32_t k = 0; k <= stream.keys; ++k) seen[k] = own.rows[k].value;
    Transaction t = random_transaction(rng, stream, seen, ran.written);
    t.session = static_cast<std::uint32_t>(&own - replicas.data());
    if (takes_effect(rng, t)) {
      own.time += 1 + rng.below(3);
      for (const Operation& op : t.operations) {
        if (op.write) own.rows[op.key] = {own.time * 1000 + i, op.value};
      }
    }
    ran.transactions.push_back(std::move(t));
  }
  return ran;
}

// At most a few reads see another version, or transactions another session.
void disturb(Rng& rng, const Stream& stream, Ran& ran) {
  for (std::uint32_t n = rng.chance(0.4) ? 0 : rng.between(1, 2); n > 0; --n) {
    Transaction& t = ran.transactions[rng.below(stream.transactions)];
    Operation& op = t.operations[rng.below(static_cast<std::uint32_t>(t.operations.size()))];
    const std::uint32_t written = ran.written[op.key];
    if (!op.write && written > 0) {
      // Mostly a version not far from the one it was.
      op.value = rng.chance(0.7) ? std::min(written, op.value + 1 - std::min(op.value + 1, rng.below(3)))
                                 : rng.between(0, written);
    } else if (rng.chance(0.5)) {
      std::swap(t.session, ran.transactions[rng.below(stream.transactions)].session);
    }
  }
}

History history_of(const Stream& stream, const Ran& ran) {
  HistoryBuilder builder;
  for (std::uint32_t s = 0; s < stream.sessions; ++s) builder.session(Atom::integer(s + 1));
  for (std::uint32_t i = 0; i < stream.transactions; ++i) {
    const Transaction& t = ran.transactions[i];
    builder.begin(Session{t.session}, Atom::integer(i));
    for (const Operation& op : t.operations) {
      const Atom key = Atom::integer(op.key + 1);
      const Atom value = Atom::integer(op.value);
      if (op.write) {
        builder.write(key, value);
      } else if (op.value == 0) {
        builder.read_initial(key);
      } else {
        builder.read(key, value);
      }
    }
    if (stream.times) {
      builder.end(t.status, t.start,
                  t.status == Status::unknown ? std::nullopt : std::optional<std::int64_t>(t.end));
    } else {
      builder.end(t.status);
    }
  }
  return builder.finish();
}

// Serial runs say little about levels that allow much else.
bool allows_replicas(Level level) {
  return !implies(level, Level::snapshot_isolation);
}

History run(Rng& rng, const Stream& stream, Level level) {
  Ran ran =
      allows_replicas(level) && rng.chance(0.7) ? run_on_replicas(rng, stream) : run_serially(rng, stream);
  disturb(rng, stream, ran);
  return history_of(stream, ran);
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
    const History h = run(rng, stream, options.level);
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
    const History h = run(rng, random_stream(rng), options.level);
    const bool violated = verdict_of_whole(h, options) == Verdict::violated;
    EXPECT_EQ(watch(h, options, rng.next(), false).violated, violated) << "seed " << seed + i;
  }
}

TEST(WatchRandom, Lists) {
  compare(shape_of_lists(), at(Level::serializable), random_cases(200));
}

}  // namespace
}  // namespace assay::watch
