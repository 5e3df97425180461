#include "database/own/memory.hpp"

#include <gtest/gtest.h>

#include "database/own/reference.hpp"
#include "record/generate/generate.hpp"

namespace assay::database {
namespace {

using record::Generated;
using record::GenerateOptions;
using record::KeyDistribution;
using record::Receipts;
using reference::satisfies;

constexpr Level kKept[] = {Level::read_committed,
                           Level::read_atomic,
                           Level::causal,
                           Level::prefix,
                           Level::snapshot_isolation,
                           Level::serializable,
                           Level::strong_snapshot_isolation,
                           Level::strict_serializable};

// Small enough for the reference, crowded enough for every conflict.
GenerateOptions crowded(Level level, std::uint64_t seed) {
  GenerateOptions options;
  options.level = level;
  options.seed = seed;
  options.sessions = 3 + static_cast<std::uint32_t>(seed % 2);
  options.transactions = 18;
  options.min_operations = 1;
  options.max_operations = 4;
  options.keys = 3;
  options.aborts = 0.05;
  options.unknown = 0.1;
  return options;
}

// For what needs several sites to disagree; only for levels that the reference decides in polynomial time, or
// quickly.
void widen(GenerateOptions& options, std::uint32_t transactions) {
  options.sessions = 4;
  options.transactions = transactions;
  options.keys = 6;
}

std::string title(const GenerateOptions& options) {
  return std::string(info(options.level).name) + ", seed " + std::to_string(options.seed);
}

TEST(MemoryEngine, KeepsEveryLevelWithRegisters) {
  for (const Level level : kKept) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      const GenerateOptions options = crowded(level, seed);
      EXPECT_TRUE(satisfies(generate(options).history, level)) << title(options);
    }
  }
}

TEST(MemoryEngine, KeepsEveryLevelWithLists) {
  for (const Level level : kKept) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      GenerateOptions options = crowded(level, seed);
      options.model = GenerateOptions::Model::lists;
      EXPECT_TRUE(satisfies(generate(options).history, level)) << title(options);
    }
  }
}

TEST(MemoryEngine, KeepsEveryLevelWithDeletesAndInserts) {
  for (const Level level : kKept) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      GenerateOptions options = crowded(level, seed);
      options.deletes = 0.3;
      EXPECT_TRUE(satisfies(generate(options).history, level)) << title(options);
    }
  }
}

TEST(MemoryEngine, KeepsEveryLevelWithRangeReads) {
  for (const Level level : kKept) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      GenerateOptions options = crowded(level, seed);
      options.ranges = 0.5;
      options.range_keys = 2;
      EXPECT_TRUE(satisfies(generate(options).history, level)) << title(options);
    }
  }
}

TEST(MemoryEngine, KeepsEveryLevelWithReadsOfRows) {
  for (const Level level : kKept) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      GenerateOptions options = crowded(level, seed);
      options.rows = 0.5;
      options.range_keys = 2;
      EXPECT_TRUE(satisfies(generate(options).history, level)) << title(options);
    }
  }
}

// What a level does not promise does happen: otherwise the histories would not test a checker of that level.
TEST(MemoryEngine, IsVisiblyWeakerThanTheNextLevel) {
  constexpr std::pair<Level, Level> kSteps[] = {{Level::read_committed, Level::read_atomic},
                                                {Level::read_atomic, Level::causal},
                                                {Level::causal, Level::prefix},
                                                {Level::prefix, Level::snapshot_isolation},
                                                {Level::snapshot_isolation, Level::serializable},
                                                {Level::snapshot_isolation, Level::strong_snapshot_isolation},
                                                {Level::strong_snapshot_isolation, Level::serializable},
                                                {Level::serializable, Level::strict_serializable}};
  for (const auto model : {GenerateOptions::Model::registers, GenerateOptions::Model::lists}) {
    for (const auto& [kept, next] : kSteps) {
      int weaker = 0;
      for (std::uint64_t seed = 0; seed < 30; ++seed) {
        GenerateOptions options = crowded(kept, seed);
        options.model = model;
        if (next == Level::causal) widen(options, 60);
        if (!satisfies(generate(options).history, next)) ++weaker;
      }
      EXPECT_GE(weaker, 5) << info(kept).name << " against " << info(next).name << " with model "
                           << static_cast<int>(model);
    }
  }
}

TEST(MemoryEngine, KeepsSerializabilityAtScaleByItsOwnOrder) {
  for (const Level level : {Level::serializable, Level::strict_serializable}) {
    GenerateOptions options;
    options.level = level;
    options.transactions = 10000;
    options.keys = 500;
    options.unknown = 0.05;
    options.distribution.kind = KeyDistribution::Kind::zipf;
    const Generated generated = generate(options, Receipts::keep);
    const History& h = generated.history;
    // Updates in the store's order; whoever wrote nothing right behind the update it read at.
    std::vector<Txn> order;
    const auto receipt = [&](Txn t) { return generated.receipts[h.name(t).bits]; };
    const auto updates = [&](Txn t) {
      for (const Op op : h.operations_of(t)) {
        if (writes(h.kind(op))) return true;
      }
      return false;
    };
    for (const Txn t : h.all_transactions()) {
      if (receipt(t).committed) order.push_back(t);
    }
    std::stable_sort(order.begin(), order.end(), [&](Txn a, Txn b) {
      return std::pair(receipt(a).order, !updates(a)) < std::pair(receipt(b).order, !updates(b));
    });
    std::vector<Version> holds;
    for (std::uint32_t k = 0; k < h.keys(); ++k) holds.push_back(h.initial_version(Key{k}));
    std::vector<std::uint32_t> done(h.sessions(), 0);
    for (const Txn t : order) {
      EXPECT_LE(done[index(h.session_of(t))], h.position_in_session(t)) << "session order";
      done[index(h.session_of(t))] = h.position_in_session(t);
      for (const Op op : h.operations_of(t)) {
        Version& held = holds[index(h.key(op))];
        if (writes(h.kind(op))) {
          held = h.version(op);
        } else {
          ASSERT_EQ(held, h.version(op)) << "transaction " << index(t) << " at " << info(level).name;
        }
      }
    }
    EXPECT_GT(order.size(), options.transactions / 4);
  }
}

TEST(MemoryEngine, KeepsSnapshotsAtScaleByItsOwnOrder) {
  for (const Level level : {Level::prefix, Level::snapshot_isolation, Level::strong_snapshot_isolation}) {
    GenerateOptions options;
    options.level = level;
    options.transactions = 10000;
    options.keys = 500;
    const Generated generated = generate(options, Receipts::keep);
    const History& h = generated.history;
    std::map<Version, std::uint64_t> committed_at;
    std::vector<std::vector<std::uint64_t>> commits(h.keys());  // by key: where its writers stand
    const auto receipt = [&](Txn t) { return generated.receipts[h.name(t).bits]; };
    for (const Txn t : h.all_transactions()) {
      if (!receipt(t).committed) continue;
      std::set<Key> written;
      for (const Op op : h.operations_of(t)) {
        if (!writes(h.kind(op))) continue;
        committed_at[h.version(op)] = receipt(t).order;
        written.insert(h.key(op));
      }
      for (const Key k : written) commits[index(k)].push_back(receipt(t).order);
    }
    for (auto& of_key : commits) std::sort(of_key.begin(), of_key.end());
    const auto newest = [&](Key k, std::uint64_t at) {
      const auto& of_key = commits[index(k)];
      const auto after = std::upper_bound(of_key.begin(), of_key.end(), at);
      return after == of_key.begin() ? 0 : *(after - 1);
    };
    for (const Txn t : h.all_transactions()) {
      if (!receipt(t).committed) continue;
      std::set<Key> written;
      for (const Op op : h.operations_of(t)) {
        if (writes(h.kind(op))) {
          written.insert(h.key(op));
          if (level == Level::prefix) continue;
          EXPECT_LE(newest(h.key(op), receipt(t).order - 1), receipt(t).snapshot) << "first committer wins";
        } else if (written.count(h.key(op)) == 0) {
          const Version v = h.version(op);
          ASSERT_EQ(h.is_initial(v) ? 0 : committed_at.at(v), newest(h.key(op), receipt(t).snapshot));
        }
      }
    }
  }
}

// The order the store reports for its replicated levels is a commit order that proves the level.
TEST(MemoryEngine, KeepsCausalityByItsOwnOrder) {
  for (const Level level : {Level::read_atomic, Level::causal}) {
    GenerateOptions options;
    options.level = level;
    options.sessions = 9;
    options.transactions = 150;
    options.keys = 20;
    const Generated generated = generate(options, Receipts::keep);
    EXPECT_TRUE(satisfies(generated.history, level));
    const History& h = generated.history;
    std::map<Version, std::uint64_t> order;
    for (const Txn t : h.all_transactions()) {
      for (const Op op : h.operations_of(t)) {
        if (writes(h.kind(op))) order[h.version(op)] = generated.receipts[h.name(t).bits].order;
      }
    }
    for (const Txn t : h.all_transactions()) {
      if (h.status(t) != Status::committed) continue;
      std::set<Key> written;
      for (const Op op : h.operations_of(t)) {
        if (writes(h.kind(op))) {
          written.insert(h.key(op));
        } else if (written.count(h.key(op)) == 0 && !h.is_initial(h.version(op))) {
          EXPECT_LT(order.at(h.version(op)), generated.receipts[h.name(t).bits].order);
        }
      }
    }
  }
}

// Each fault opens the door to its anomaly, and the pure ones to nothing below it.
TEST(MemoryEngine, LetsTheAnomalyThroughThatItIsToldTo) {
  struct Row {
    Anomaly fault;
    Level broken;
    std::optional<Level> still_kept;
  };
  constexpr Row kRows[] = {
      {Anomaly::lost_update, Level::snapshot_isolation, Level::prefix},
      {Anomaly::write_skew, Level::serializable, Level::snapshot_isolation},
      {Anomaly::long_fork, Level::prefix, Level::causal},
      {Anomaly::read_skew, Level::read_atomic, Level::read_committed},
      {Anomaly::fractured_read, Level::read_atomic, std::nullopt},
      {Anomaly::causality_violation, Level::causal, Level::read_atomic},
      {Anomaly::stale_read, Level::strict_serializable, Level::serializable},
      {Anomaly::aborted_read, Level::read_committed, std::nullopt},
      {Anomaly::intermediate_read, Level::read_committed, std::nullopt},
      {Anomaly::dirty_write, Level::read_committed, std::nullopt},
      {Anomaly::phantom, Level::read_atomic, std::nullopt},
  };
  for (const Row& row : kRows) {
    int broken = 0;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      GenerateOptions options = crowded(Level::strict_serializable, seed);
      options.fault = row.fault;
      options.unknown = 0;
      options.aborts = 0.15;
      if (row.fault == Anomaly::phantom) {
        options.ranges = 0.5;
        options.range_keys = 3;
      }
      if (row.fault == Anomaly::long_fork || row.fault == Anomaly::causality_violation) widen(options, 40);
      const History history = generate(options).history;
      if (!satisfies(history, row.broken)) ++broken;
      if (row.still_kept) {
        EXPECT_TRUE(satisfies(history, *row.still_kept)) << info(row.fault).name << ", seed " << seed;
      }
    }
    EXPECT_GE(broken, 5) << info(row.fault).name;
  }
}

TEST(MemoryEngine, FirstCommitterWinsUnderSnapshotIsolation) {
  MemoryEngine store({.level = Level::strong_snapshot_isolation});
  const Session a = store.open_session();
  const Session b = store.open_session();
  store.begin(a);
  store.begin(b);
  store.write(a, 1, 10);
  store.write(b, 1, 20);
  EXPECT_TRUE(store.commit(a).committed);
  EXPECT_FALSE(store.commit(b).committed);
  store.begin(b);
  EXPECT_EQ(store.read(b, 1).value, 10);
}

TEST(MemoryEngine, ReadsItsOwnWritesAndTellsAbsenceFromDeletion) {
  MemoryEngine store({.level = Level::strict_serializable});
  const Session s = store.open_session();
  store.begin(s);
  EXPECT_EQ(store.read(s, 5).state, RowState::never);
  EXPECT_TRUE(store.insert(s, 5, 50));
  EXPECT_FALSE(store.insert(s, 5, 51)) << "the row is there now";
  store.erase(s, 5, -1);
  EXPECT_EQ(store.read(s, 5).state, RowState::erased);
  EXPECT_TRUE(store.insert(s, 5, 52));
  EXPECT_TRUE(store.commit(s).committed);
  store.begin(s);
  EXPECT_EQ(store.read(s, 5).value, 52);
}

TEST(MemoryEngine, RangeAndPredicateReadsSeeLiveRowsInOrderOfKeys) {
  MemoryEngine store({.level = Level::strict_serializable});
  const Session s = store.open_session();
  store.begin(s);
  for (const std::int64_t key : {30, 10, 20, 40}) store.write(s, key, key + 1);
  store.commit(s);
  store.begin(s);
  store.erase(s, 20, -1);
  store.write(s, 25, 26);
  std::vector<EngineRow> rows;
  store.range_read(s, 10, 30, rows);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].key, 10);
  EXPECT_EQ(rows[1].value, 26) << "its own row";
  EXPECT_EQ(rows[2].key, 30);
  store.predicate_read(
      s, [](const EngineRow& row) { return row.value > 30; }, rows);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[1].key, 40);
}

TEST(MemoryEngine, AnInsertIntoAReadRangeAbortsASerializableUpdate) {
  MemoryEngine store({.level = Level::strict_serializable});
  const Session a = store.open_session();
  const Session b = store.open_session();
  std::vector<EngineRow> rows;
  store.begin(a);
  store.range_read(a, 0, 10, rows);
  EXPECT_TRUE(rows.empty());
  store.begin(b);
  store.insert(b, 7, 70);
  EXPECT_TRUE(store.commit(b).committed);
  store.write(a, 100, 1);
  EXPECT_FALSE(store.commit(a).committed);
}

TEST(MemoryEngine, ListsKeepOneOrderAndShowOwnElementsLast) {
  MemoryEngine store({.level = Level::prefix, .lag = 0});
  const Session a = store.open_session();
  const Session b = store.open_session();
  std::vector<std::int64_t> list;
  store.begin(a);
  store.begin(b);
  store.append(a, 1, 10);
  store.append(a, 1, 11);
  store.append(b, 1, 20);
  store.read_list(a, 1, list);
  EXPECT_EQ(list, (std::vector<std::int64_t>{10, 11}));
  EXPECT_TRUE(store.commit(b).committed);
  EXPECT_FALSE(store.commit(a).committed)
      << "it has seen its elements first in the list, where they no longer can be";
  store.begin(a);
  store.append(a, 1, 12);
  EXPECT_TRUE(store.commit(a).committed);
  store.begin(b);
  store.read_list(b, 1, list);
  EXPECT_EQ(list, (std::vector<std::int64_t>{20, 12}));
}

}  // namespace
}  // namespace assay::database
