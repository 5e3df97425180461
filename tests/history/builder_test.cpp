#include "history/builder.hpp"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(HistoryBuilder, GroupsTransactionsBySessionAndVersionsByKey) {
  HistoryBuilder build;
  const Session a = build.session(Atom::string("a"));
  const Session b = build.session(Atom::integer(7));
  build.begin(a, Atom::integer(10));
  build.write(Atom::string("x"), Atom::integer(1));
  build.read_initial(Atom::string("y"));
  build.end(Status::committed, 5, 9);
  build.begin(b, Atom::integer(11));
  build.read(Atom::string("x"), Atom::integer(1));
  build.end(Status::unknown);
  build.begin(a, Atom::integer(12));
  build.write(Atom::string("y"), Atom::integer(1));
  build.write(Atom::string("x"), Atom::string("1"));
  build.end(Status::aborted);
  const History h = build.finish();

  ASSERT_EQ(h.sessions(), 2U);
  ASSERT_EQ(h.transactions(), 3U);
  ASSERT_EQ(h.operations(), 5U);
  ASSERT_EQ(h.keys(), 2U);
  EXPECT_EQ(h.versions(), 5U) << "two initial versions, x=1, x=\"1\", y=1";
  EXPECT_EQ(h.transactions_of(Session{0}).size(), 2U);
  EXPECT_EQ(to_string(h.name(Txn{1})), "12");
  EXPECT_EQ(h.status(Txn{1}), Status::aborted);
  EXPECT_EQ(h.status(Txn{2}), Status::unknown);
  EXPECT_EQ(h.start(Txn{0}), 5);
  EXPECT_EQ(h.end(Txn{2}), std::nullopt);
  EXPECT_EQ(h.version(Op{0}), h.version(Op{4})) << "the write of x=1 and the read of it name one version";
  EXPECT_TRUE(h.is_initial(h.version(Op{1})));
  EXPECT_NE(h.version(Op{0}), h.version(Op{3})) << "the number 1 and the string \"1\" differ";
  EXPECT_EQ(h.key(Op{2}), h.key_of(h.initial_version(h.key(Op{1}))));
  EXPECT_EQ(to_json(h.value(h.version(Op{3}))), "\"1\"");
}

TEST(HistoryBuilder, KeepsListsAndQueries) {
  HistoryBuilder build;
  build.begin(build.session(Atom::integer(0)), Atom::integer(0));
  build.append(Atom::integer(1), Atom::integer(5));
  const Atom elements[] = {Atom::integer(4), Atom::integer(5)};
  build.list_read(Atom::integer(1), elements);
  const Row rows[] = {{Atom::integer(1), Atom::integer(4)}, {Atom::integer(2), std::nullopt}};
  build.predicate_read(Atom::string("v > 3"), rows);
  build.range_read(Atom::integer(0), std::nullopt, {});
  build.erase(Atom::integer(1));
  build.end(Status::committed);
  const History h = build.finish();

  const ListRead list = h.list(Op{1});
  ASSERT_EQ(list.elements.size(), 2U);
  EXPECT_EQ(list.elements[1], h.version(Op{0}));
  EXPECT_EQ(list.key, h.key(Op{0}));
  const Query predicate = h.query(Op{2});
  EXPECT_EQ(predicate.predicate->text, "v > 3");
  ASSERT_EQ(predicate.results.size(), 2U);
  EXPECT_EQ(predicate.results[0], list.elements[0]);
  EXPECT_TRUE(h.is_initial(predicate.results[1]))
      << "a row without a value is as it was before the first transaction";
  const Query range = h.query(Op{3});
  EXPECT_TRUE(range.low.has_value());
  EXPECT_FALSE(range.high.has_value());
  EXPECT_TRUE(h.is_initial(h.version(Op{4})));
}

// Certificates speak of keys by number.
TEST(HistoryBuilder, NumbersKeysInOrderOfAppearance) {
  HistoryBuilder build;
  build.begin(build.session(Atom::integer(0)), Atom::integer(0));
  const Row rows[] = {{Atom::integer(13), std::nullopt}};
  build.write(Atom::integer(10), Atom::integer(1));
  build.list_read(Atom::integer(11), {});
  build.read_initial(Atom::integer(12));
  build.range_read(std::nullopt, std::nullopt, rows);
  build.list_read(Atom::integer(14), {});
  for (int k = 15; k < 100; ++k) {
    build.append(Atom::integer(k), Atom::integer(k));
    build.list_read(Atom::integer(++k), {});
  }
  build.end(Status::committed);
  const History h = build.finish();
  for (std::uint32_t k = 0; k < h.keys(); ++k) EXPECT_EQ(h.name(Key{k}), Atom::integer(10 + k));
}

TEST(HistoryBuilder, InternsManyVersionsInAnyOrder) {
  HistoryBuilder build;
  constexpr std::uint32_t kCount = 200000;
  for (int round = 0; round < 2; ++round) {
    build.begin(build.session(Atom::integer(round)), Atom::integer(round));
    for (std::uint32_t i = 0; i < kCount; ++i) {
      const std::uint64_t v = (std::uint64_t{i} * 7919) % kCount;
      build.write(Atom::natural(v % 100), Atom::natural(v));
    }
    build.end(Status::committed);
  }
  const History h = build.finish();
  EXPECT_EQ(h.versions(), 100U + kCount);
  for (std::uint32_t i = 0; i < kCount; ++i) ASSERT_EQ(h.version(Op{i}), h.version(Op{i + kCount}));
  EXPECT_LE(h.resident_bytes(), std::size_t{24} * h.operations());
}

// Small numbers take less room than large ones, until one large one comes.
TEST(HistoryBuilder, KeepsValuesOfAnySizeInOneColumn) {
  const std::vector<Atom> values{
      Atom::integer(0),  Atom::integer(0xFFFFFFFF), Atom::string("a text"), Atom::integer(0x100000000),
      Atom::integer(-1), Atom::natural(UINT64_MAX), Atom::integer(7)};
  for (std::size_t count = 1; count <= values.size(); ++count) {
    HistoryBuilder build;
    build.begin(build.session(Atom::integer(1)), Atom::integer(1));
    for (std::size_t i = 0; i < count; ++i) build.write(values[i], values[i]);
    build.end(Status::committed);
    const History h = build.finish();
    for (std::uint32_t i = 0; i < count; ++i) {
      EXPECT_EQ(h.value(h.version(Op{i})), values[i]) << i << " of " << count;
      EXPECT_EQ(h.name(h.key(Op{i})), values[i]) << i << " of " << count;
    }
  }
}

}  // namespace
}  // namespace assay
