// Every planted anomaly breaks exactly the levels that its table row names, in histories around it that are
// correct.
#include <gtest/gtest.h>

#include <set>

#include "database/own/reference.hpp"
#include "record/generate/generate.hpp"
#include "system/input_error.hpp"

namespace assay::record {
namespace {

using database::reference::satisfies;
using Model = GenerateOptions::Model;

GenerateOptions small(Anomaly anomaly, std::uint64_t seed) {
  GenerateOptions options;
  options.level = Level::strict_serializable;
  options.inject = anomaly;
  options.seed = seed;
  options.sessions = 4;
  options.transactions = 11;
  options.min_operations = 1;
  options.max_operations = 3;
  options.keys = 4;
  options.unknown = 0.05;
  return options;
}

void expect_exactly_its_levels_broken(const GenerateOptions& options) {
  const Generated generated = generate(options);
  for (const LevelInfo& level : levels()) {
    if (!database::can_keep(level.level)) continue;
    EXPECT_EQ(satisfies(generated.history, level.level), !textbook_breaks(*options.inject, level.level))
        << info(*options.inject).name << " at " << level.name << ", seed " << options.seed;
  }
}

TEST(Plant, BreaksExactlyItsLevelsAmongRegisters) {
  for (const Anomaly anomaly : textbook_anomalies()) {
    for (std::uint64_t seed = 0; seed < 8; ++seed) expect_exactly_its_levels_broken(small(anomaly, seed));
  }
}

TEST(Plant, BreaksExactlyItsLevelsAmongLists) {
  for (const Anomaly anomaly : textbook_anomalies()) {
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
      GenerateOptions options = small(anomaly, seed);
      options.model = Model::lists;
      expect_exactly_its_levels_broken(options);
    }
  }
}

TEST(Plant, BreaksExactlyItsLevelsAmongDeletedRows) {
  for (const Anomaly anomaly : textbook_anomalies()) {
    if (anomaly == Anomaly::phantom)
      continue;  // the reference cannot tell a deleted row from none in a range
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      GenerateOptions options = small(anomaly, seed);
      options.deletes = 0.4;
      expect_exactly_its_levels_broken(options);
    }
  }
}

// The levels that a weaker store keeps stay kept around the anomaly.
TEST(Plant, LeavesAWeakerHistoryAsCorrectAsItWas) {
  for (const Level kept : {Level::read_committed, Level::read_atomic, Level::causal, Level::prefix,
                           Level::snapshot_isolation, Level::serializable}) {
    for (const Anomaly anomaly : textbook_anomalies()) {
      for (std::uint64_t seed = 0; seed < 2; ++seed) {
        GenerateOptions options = small(anomaly, seed);
        options.level = kept;
        const History history = generate(options).history;
        for (const LevelInfo& level : levels()) {
          if (!database::can_keep(level.level)) continue;
          if (textbook_breaks(anomaly, level.level)) {
            EXPECT_FALSE(satisfies(history, level.level)) << info(anomaly).name << " in " << info(kept).name;
          } else if (implies(kept, level.level)) {
            EXPECT_TRUE(satisfies(history, level.level)) << info(anomaly).name << " in " << info(kept).name
                                                         << " at " << level.name << ", seed " << seed;
          }
        }
      }
    }
  }
}

TEST(Plant, IsTheWholeHistoryIfThereIsNothingElse) {
  for (const Anomaly anomaly : textbook_anomalies()) {
    GenerateOptions options = small(anomaly, 1);
    options.transactions = 0;
    options.sessions = 1;
    options.keys = 1;
    expect_exactly_its_levels_broken(options);
  }
}

// Only keys whose present version has one possible writer can carry an anomaly that no other order explains.
TEST(Plant, UsesFreshKeysWhereExistingOnesAreAmbiguous) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    GenerateOptions options = small(Anomaly::lost_update, seed);
    const auto planted_key = [&] { return generate(options).planted->keys.at(0); };
    EXPECT_GE(planted_key(), 8) << "a key of the workload";
    options.duplicates = 0.5;
    EXPECT_LT(planted_key(), 8);
    options.duplicates = 0;
    options.deletes = 0.5;
    options.tombstones = false;
    EXPECT_LT(planted_key(), 8);
  }
}

TEST(Plant, TellsWhichTransactionsItPlanted) {
  GenerateOptions options = small(Anomaly::long_fork, 3);
  options.transactions = 100;
  const Generated generated = generate(options);
  ASSERT_TRUE(generated.planted.has_value());
  ASSERT_EQ(generated.planted->transactions.size(), 4U);
  ASSERT_EQ(generated.planted->keys.size(), 2U);
  EXPECT_NE(generated.planted->keys[0], generated.planted->keys[1]);
  EXPECT_EQ(generated.history.transactions(), 104U);
  std::set<Session> sessions;
  std::set<std::int64_t> keys;
  const History& h = generated.history;
  for (const Txn t : h.all_transactions()) {
    const auto name = static_cast<std::int64_t>(h.name(t).bits);
    const auto& planted = generated.planted->transactions;
    if (std::find(planted.begin(), planted.end(), name) == planted.end()) continue;
    sessions.insert(h.session_of(t));
    for (const Op op : h.operations_of(t)) keys.insert(static_cast<std::int64_t>(h.name(h.key(op)).bits));
  }
  EXPECT_EQ(sessions.size(), 4U);
  EXPECT_EQ(keys, std::set<std::int64_t>(generated.planted->keys.begin(), generated.planted->keys.end()));
}

TEST(Plant, ComesAtADifferentPlaceForEachSeed) {
  std::set<std::int64_t> places;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    GenerateOptions options = small(Anomaly::write_skew, seed);
    options.transactions = 1000;
    places.insert(generate(options).planted->transactions[0]);
  }
  EXPECT_GT(places.size(), 15U);
  EXPECT_GT(*places.rbegin() - *places.begin(), 500);
}

TEST(Plant, OfAStaleReadNeedsTimes) {
  GenerateOptions options = small(Anomaly::stale_read, 1);
  options.times = false;
  EXPECT_THROW(generate(options), InputError);
}

}  // namespace
}  // namespace assay::record
