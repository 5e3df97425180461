// What must not change a verdict of a strong level, what must follow from it, and whether verdicts hold up at
// sizes at which no brute force can answer: there the generator says what to expect.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "check/check.hpp"
#include "history/builder.hpp"
#include "record/generate/generate.hpp"
#include "support/judge/replay.hpp"
#include "support/random/random_history.hpp"

namespace assay::check {
namespace {

constexpr Level kStrong[] = {Level::serializable, Level::snapshot_isolation, Level::prefix};

std::vector<Verdict> verdicts(const History& h, std::span<const Level> levels = kStrong,
                              const Options& options = {}) {
  std::vector<Verdict> all;
  for (const Outcome& outcome : check(h, levels, options)) all.push_back(outcome.verdict);
  return all;
}

// Copies a history with other names, sessions in another order, some transactions left out, and perhaps a
// transaction at the end.
struct Change {
  bool rename = false;
  bool reverse_sessions = false;
  std::vector<bool> leave_out;
  bool read_the_end = false;  // after `order`, in a session of its own
  std::vector<Event> order;
};

History changed(const History& h, const Change& change) {
  HistoryBuilder build;
  const auto key = [&](Key k) {
    return change.rename ? Atom::integer(1000 - static_cast<std::int64_t>(index(k))) : h.name(k);
  };
  const auto value = [&](Version v) {
    return change.rename ? Atom::integer(5000 - static_cast<std::int64_t>(index(v))) : h.value(v);
  };
  std::vector<Session> sessions;
  for (std::uint32_t s = 0; s < h.sessions(); ++s) sessions.push_back(Session{s});
  if (change.reverse_sessions) std::reverse(sessions.begin(), sessions.end());
  for (const Session s : sessions) {
    for (const Txn t : h.transactions_of(s)) {
      if (!change.leave_out.empty() && change.leave_out[index(t)]) continue;
      build.begin(build.session(h.name(s)), h.name(t));
      for (const Op op : h.operations_of(t)) {
        const Version v = h.version(op);
        const Atom k = key(h.key_of(v));
        switch (h.kind(op)) {
          case OpKind::read:
            h.is_initial(v) ? build.read_initial(k) : build.read(k, value(v));
            break;
          case OpKind::erase:
            build.erase(k);
            break;
          default:
            build.write(k, value(v));
            break;
        }
      }
      build.end(h.status(t), h.start(t), h.end(t));
    }
  }
  if (change.read_the_end) {
    std::vector<Version> last;
    for (std::uint32_t k = 0; k < h.keys(); ++k) last.push_back(h.initial_version(Key{k}));
    for (const Event event : change.order) {
      if (event.side != Event::Side::commit) continue;
      for (const Op op : h.operations_of(event.txn)) {
        if (writes(h.kind(op))) last[index(h.key(op))] = h.version(op);
      }
    }
    build.begin(build.session(Atom::string("last")), Atom::string("last"));
    for (const Version v : last) {
      h.is_initial(v) ? build.read_initial(key(h.key_of(v))) : build.read(key(h.key_of(v)), value(v));
    }
    build.end(Status::committed);
  }
  return build.finish();
}

TEST(StrongMetamorphic, NamesSessionsAndUnreadTransactionsDoNotMatter) {
  Shape shape = shape_with_everything();
  shape.max_transactions = 12;
  shape.max_keys = 4;
  const std::uint64_t seed = random_seed(), cases = random_cases(1500);
  for (std::uint64_t i = 0; i < cases; ++i) {
    Rng rng(seed + i);
    const History h = random_history(rng, shape);
    const std::vector<Verdict> expected = verdicts(h);
    const auto note = [&] { return "seed " + std::to_string(seed + i) + "\n" + drawing(h); };
    Change renamed;
    renamed.rename = true;
    ASSERT_EQ(verdicts(changed(h, renamed)), expected) << note();
    Change reversed;
    reversed.reverse_sessions = true;
    ASSERT_EQ(verdicts(changed(h, reversed)), expected) << note();

    // Leaving out a transaction that nobody can have read from removes constraints only.
    std::vector<bool> was_read(h.versions(), false);
    for (std::uint32_t op = 0; op < h.operations(); ++op) {
      if (h.kind(Op{op}) == OpKind::read) was_read[index(h.version(Op{op}))] = true;
    }
    for (const Txn t : h.all_transactions()) {
      bool unread = true;
      for (const Op op : h.operations_of(t))
        unread = unread && !(writes(h.kind(op)) && was_read[index(h.version(op))]);
      if (!unread) continue;
      Change shorter;
      shorter.leave_out.assign(h.transactions(), false);
      shorter.leave_out[index(t)] = true;
      const std::vector<Verdict> less = verdicts(changed(h, shorter));
      for (std::size_t l = 0; l < less.size(); ++l) {
        if (expected[l] == Verdict::holds) {
          ASSERT_EQ(less[l], Verdict::holds) << note();
        }
      }
    }
    // A transaction that reads the end state of an accepted order can be added to it.
    for (std::size_t l = 0; l < expected.size(); ++l) {
      if (expected[l] != Verdict::holds) continue;
      Change longer;
      longer.read_the_end = true;
      longer.order = check(h, std::span(&kStrong[l], 1))[0].order;
      ASSERT_EQ(verdicts(changed(h, longer))[l], Verdict::holds) << info(kStrong[l]).name << " " << note();
    }
  }
}

TEST(StrongMetamorphic, ThreadsDoNotChangeVerdicts) {
  record::GenerateOptions options;
  options.transactions = 400;
  options.keys = 40;
  options.level = Level::snapshot_isolation;
  std::vector<Level> all;
  for (const LevelInfo& level : levels()) all.push_back(level.level);
  for (options.seed = 1; options.seed <= 4; ++options.seed) {
    const History h = record::generate(options).history;
    Options one, several;
    several.threads = 4;
    EXPECT_EQ(verdicts(h, all, one), verdicts(h, all, several));
  }
}

// A store that keeps a level gives histories that satisfy it and all that it implies, at every contention.
TEST(StrongAtSize, HistoriesOfAStoreThatKeepsALevelSatisfyIt) {
  for (const Level kept :
       {Level::prefix, Level::snapshot_isolation, Level::serializable, Level::strict_serializable}) {
    for (const std::uint32_t keys : {10U, 60U, 600U}) {
      for (const std::uint32_t sessions : {3U, 25U, 200U}) {
        record::GenerateOptions options;
        options.transactions = 1500;
        options.sessions = sessions;
        options.keys = keys;
        options.min_operations = 1;
        options.max_operations = 10;
        options.updates = keys == 60 ? 0.5 : 0;
        options.duplicates = sessions == 25 ? 0.3 : 0;
        options.unknown = 0.02;
        options.level = kept;
        options.seed = random_seed();
        const History h = record::generate(options).history;
        std::vector<Level> implied;
        for (const LevelInfo& level : levels()) {
          if (implies(kept, level.level) && implies(level.level, Level::prefix))
            implied.push_back(level.level);
        }
        Options limits;
        limits.timeout_seconds = 20;
        for (const Outcome& outcome : check(h, implied, limits)) {
          EXPECT_NE(outcome.verdict, Verdict::violated)
              << info(kept).name << " kept, " << info(outcome.level).name << " asked, " << keys << " keys, "
              << sessions << " sessions, seed " << options.seed;
          if (outcome.verdict == Verdict::holds) {
            EXPECT_EQ(replay(h, outcome.level, true, {}, outcome.order), std::nullopt);
          }
        }
      }
    }
  }
}

// One planted anomaly in a history that is correct otherwise breaks exactly the levels that it must.
TEST(StrongAtSize, APlantedAnomalyBreaksItsLevels) {
  for (const Anomaly anomaly :
       {Anomaly::lost_update, Anomaly::write_skew, Anomaly::long_fork, Anomaly::causality_violation}) {
    record::GenerateOptions options;
    options.transactions = 2000;
    options.keys = 200;
    options.inject = anomaly;
    options.seed = random_seed();
    const History h = record::generate(options).history;
    for (const Outcome& outcome : check(h, kStrong)) {
      EXPECT_EQ(outcome.verdict, textbook_breaks(anomaly, outcome.level) ? Verdict::violated : Verdict::holds)
          << info(outcome.level).name << ", seed " << options.seed;
      EXPECT_EQ(outcome.verdict == Verdict::violated, !outcome.derivation.empty());
    }
  }
}

}  // namespace
}  // namespace assay::check
