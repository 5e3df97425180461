#include "record/generate/generate.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "system/input_error.hpp"

namespace assay::record {
namespace {

using Model = GenerateOptions::Model;

// Every bit that a reader of the history can see, folded into one number (FNV-1a).
std::uint64_t fingerprint(const History& h) {
  std::uint64_t hash = 0xCBF29CE484222325ULL;
  const auto mix = [&](std::uint64_t word) {
    for (int byte = 0; byte < 8; ++byte) hash = (hash ^ (word >> (8 * byte) & 0xFF)) * 0x100000001B3ULL;
  };
  const auto mix_version = [&](Version v) {
    mix(h.name(h.key_of(v)).bits);
    mix(h.is_initial(v) ? UINT64_MAX : h.value(v).bits);
  };
  for (const Txn t : h.all_transactions()) {
    mix(h.name(h.session_of(t)).bits);
    mix(h.name(t).bits);
    mix(static_cast<std::uint64_t>(h.status(t)));
    mix(static_cast<std::uint64_t>(h.start(t).value_or(-1)));
    mix(static_cast<std::uint64_t>(h.end(t).value_or(-1)));
    for (const Op op : h.operations_of(t)) {
      mix(static_cast<std::uint64_t>(h.kind(op)));
      switch (h.kind(op)) {
        case OpKind::list_read:
          mix(h.name(h.list(op).key).bits);
          for (const Version v : h.list(op).elements) mix_version(v);
          break;
        case OpKind::predicate_read:
        case OpKind::range_read:
        case OpKind::rows_read:
          for (const Version v : h.query(op).results) mix_version(v);
          break;
        default:
          mix_version(h.version(op));
      }
    }
  }
  return hash;
}

double share(std::uint64_t part, std::uint64_t whole) {
  return static_cast<double>(part) / static_cast<double>(whole);
}

TEST(Generate, GivesTheSameHistoryForTheSameSeed) {
  for (const Level level : {Level::read_committed, Level::read_atomic, Level::causal, Level::serializable}) {
    for (const Model model : {Model::registers, Model::lists}) {
      GenerateOptions options;
      options.level = level;
      options.model = model;
      options.unknown = 0.1;
      const std::uint64_t first = fingerprint(generate(options).history);
      EXPECT_EQ(fingerprint(generate(options).history), first);
      options.seed = 2;
      EXPECT_NE(fingerprint(generate(options).history), first);
    }
  }
}

// The same on every machine and with every compiler: these numbers were not computed where you run this.
TEST(Generate, GivesTheSameHistoryEverywhere) {
  GenerateOptions options;
  options.distribution.kind = KeyDistribution::Kind::zipf;
  options.deletes = 0.1;
  options.ranges = 0.1;
  options.unknown = 0.02;
  options.inject = Anomaly::write_skew;
  EXPECT_EQ(fingerprint(generate(options).history), 15009838901530301245U);
  options = {};
  options.model = Model::lists;
  options.level = Level::causal;
  options.distribution.kind = KeyDistribution::Kind::hotspot;
  EXPECT_EQ(fingerprint(generate(options).history), 16990868072425524853U);
}

TEST(Generate, HasTheAskedShape) {
  GenerateOptions options;
  options.sessions = 7;
  options.transactions = 5000;
  options.min_operations = 3;
  options.max_operations = 9;
  options.keys = 50;
  options.reads = 0.8;
  options.updates = 0;
  options.aborts = 0.1;
  options.unknown = 0.05;
  options.level = Level::read_committed;  // no aborts but those asked for
  const History h = generate(options).history;
  EXPECT_EQ(h.sessions(), 7U);
  EXPECT_EQ(h.transactions(), 5000U);
  EXPECT_EQ(h.keys(), 50U);
  for (std::uint32_t s = 0; s < 7; ++s) EXPECT_NEAR(h.transactions_of(Session{s}).size(), 5000.0 / 7, 1);
  std::map<std::uint32_t, int> lengths;
  std::map<Status, std::uint32_t> statuses;
  for (const Txn t : h.all_transactions()) {
    ++lengths[h.operations_of(t).size()];
    ++statuses[h.status(t)];
  }
  EXPECT_EQ(lengths.begin()->first, 3U);
  EXPECT_EQ(lengths.rbegin()->first, 9U);
  EXPECT_EQ(lengths.size(), 7U);
  EXPECT_NEAR(share(h.count(OpKind::read), h.operations()), 0.8, 0.02);
  EXPECT_NEAR(share(statuses[Status::aborted], 5000), 0.1, 0.02);
  EXPECT_NEAR(share(statuses[Status::unknown], 5000), 0.05, 0.015);
}

TEST(Generate, WritesEveryValueOnceUnlessAskedOtherwise) {
  GenerateOptions options;
  options.transactions = 2000;
  options.keys = 20;
  const auto repeated = [&] {
    const History h = generate(options).history;
    std::set<Version> written;
    std::uint32_t again = 0;
    for (std::uint32_t op = 0; op < h.operations(); ++op) {
      if (writes(h.kind(Op{op})) && !written.insert(h.version(Op{op})).second) ++again;
    }
    return share(again, h.operations() - h.count(OpKind::read));
  };
  EXPECT_EQ(repeated(), 0);
  options.duplicates = 0.4;
  EXPECT_NEAR(repeated(), 0.4, 0.06);
}

TEST(Generate, ReadsBeforeItWritesAsOftenAsAsked) {
  GenerateOptions options;
  options.reads = 0.3;
  options.updates = 1;
  options.keys = 100000;
  const History h = generate(options).history;
  for (const Txn t : h.all_transactions()) {
    std::set<Key> read;
    for (const Op op : h.operations_of(t)) {
      if (h.kind(op) == OpKind::read) read.insert(h.key(op));
      if (h.kind(op) == OpKind::write) {
        EXPECT_EQ(read.count(h.key(op)), 1U);
      }
    }
  }
  EXPECT_GT(h.count(OpKind::write), 4000U);
}

TEST(Generate, DeletesAndInsertsLeaveTombstonesOrNothing) {
  GenerateOptions options;
  options.deletes = 0.3;
  options.updates = 1;
  options.keys = 30;
  History h = generate(options).history;
  EXPECT_NEAR(share(h.count(OpKind::erase), h.operations() - h.count(OpKind::read)), 0.3, 0.05);
  EXPECT_GT(h.count(OpKind::insert), 100U);
  for (std::uint32_t op = 0; op < h.operations(); ++op) {
    if (h.kind(Op{op}) == OpKind::erase) {
      ASSERT_FALSE(h.is_initial(h.version(Op{op})));
    }
  }
  options.tombstones = false;
  h = generate(options).history;
  for (std::uint32_t op = 0; op < h.operations(); ++op) {
    if (h.kind(Op{op}) == OpKind::erase) {
      ASSERT_TRUE(h.is_initial(h.version(Op{op})));
    }
  }
}

TEST(Generate, KeepsListsShortByMovingOnToNewKeys) {
  GenerateOptions options;
  options.model = Model::lists;
  options.transactions = 5000;
  options.keys = 3;
  options.appends_per_key = 20;
  options.level = Level::read_committed;
  const History h = generate(options).history;
  std::size_t longest = 0;
  for (std::uint32_t op = 0; op < h.operations(); ++op) {
    if (h.kind(Op{op}) == OpKind::list_read) longest = std::max(longest, h.list(Op{op}).elements.size());
  }
  EXPECT_GT(longest, 10U);
  EXPECT_LE(longest, 20U);
  EXPECT_GT(h.keys(), 500U);
}

TEST(Generate, TransactionsOverlapInTimeAndSessionsDoNot) {
  GenerateOptions options;
  options.sessions = 16;
  options.unknown = 0.1;
  const History h = generate(options).history;
  ASSERT_TRUE(h.has_times());
  std::multimap<std::int64_t, int> events;
  for (std::uint32_t s = 0; s < h.sessions(); ++s) {
    std::int64_t last_end = -1;
    for (const Txn t : h.transactions_of(Session{s})) {
      EXPECT_GT(*h.start(t), last_end);
      EXPECT_EQ(h.end(t).has_value(), h.status(t) != Status::unknown);
      if (!h.end(t)) continue;
      EXPECT_GT(*h.end(t), *h.start(t));
      last_end = *h.end(t);
      events.emplace(*h.start(t), 1);
      events.emplace(*h.end(t), -1);
    }
  }
  int open = 0;
  int most = 0;
  for (const auto& [time, change] : events) most = std::max(most, open += change);
  EXPECT_GE(most, 12);
  options.times = false;
  EXPECT_FALSE(generate(options).history.has_times());
}

// Half of the transactions of unknown fate took effect, and some of those were seen.
TEST(Generate, SomeTransactionsOfUnknownFateAreRead) {
  GenerateOptions options;
  options.unknown = 0.2;
  options.keys = 50;
  const Generated generated = generate(options, Receipts::keep);
  const History& h = generated.history;
  std::map<Version, Txn> writers;
  std::uint32_t unknown = 0;
  std::uint32_t effective = 0;
  for (const Txn t : h.all_transactions()) {
    if (h.status(t) != Status::unknown) continue;
    ++unknown;
    const bool took_effect = generated.receipts[h.name(t).bits].committed;
    effective += took_effect ? 1 : 0;
    for (const Op op : h.operations_of(t)) {
      if (writes(h.kind(op))) writers.emplace(h.version(op), t);
    }
  }
  std::uint32_t seen = 0;
  for (const Txn t : h.all_transactions()) {
    if (h.status(t) != Status::committed) continue;
    for (const Op op : h.operations_of(t)) {
      const auto writer = h.kind(op) == OpKind::read ? writers.find(h.version(op)) : writers.end();
      if (writer == writers.end()) continue;
      ++seen;
      EXPECT_TRUE(generated.receipts[h.name(writer->second).bits].committed);
    }
  }
  EXPECT_GT(seen, 0U);
  EXPECT_GT(effective, 0U);
  EXPECT_LT(effective, unknown);
}

TEST(Generate, ManyTransactionsManySessionsLongTransactions) {
  GenerateOptions options;
  options.transactions = 200000;
  options.min_operations = options.max_operations = 4;
  options.keys = 100000;
  EXPECT_EQ(generate(options).history.transactions(), 200000U);
  options.level = Level::causal;
  options.sessions = 2000;
  options.transactions = 10000;
  EXPECT_EQ(generate(options).history.sessions(), 2000U);
  options.level = Level::serializable;
  options.sessions = 4;
  options.transactions = 20;
  options.min_operations = options.max_operations = 5000;
  EXPECT_GE(generate(options).history.operations(), 100000U);
}

TEST(Generate, RefusesOptionsThatMakeNoSense) {
  const auto refused = [](auto change) {
    GenerateOptions options;
    change(options);
    try {
      validate(options);
    } catch (const InputError& error) {
      return error.path();
    }
    return std::string("accepted");
  };
  EXPECT_EQ(refused([](auto&) {}), "accepted");
  EXPECT_EQ(refused([](auto& o) { o.sessions = 0; }), "sessions");
  EXPECT_EQ(refused([](auto& o) { o.keys = 0; }), "keys");
  EXPECT_EQ(refused([](auto& o) { o.keys = 0x80000000U; }), "keys");
  EXPECT_EQ(refused([](auto& o) { o.min_operations = 9; }), "operations");
  EXPECT_EQ(refused([](auto& o) { o.reads = 1.5; }), "reads");
  EXPECT_EQ(refused([](auto& o) { o.reads = std::numeric_limits<double>::quiet_NaN(); }), "reads");
  EXPECT_EQ(refused([](auto& o) { o.distribution.theta = -1; }), "zipf");
  EXPECT_EQ(refused([](auto& o) { o.aborts = 0.6, o.unknown = 0.6; }), "unknown");
  EXPECT_EQ(refused([](auto& o) { o.level = Level::repeatable_read; }), "level");
  EXPECT_EQ(refused([](auto& o) { o.model = Model::lists, o.duplicates = 0.1; }), "duplicates");
  EXPECT_EQ(refused([](auto& o) { o.inject = Anomaly::stale_read, o.times = false; }), "inject");
}

}  // namespace
}  // namespace assay::record
