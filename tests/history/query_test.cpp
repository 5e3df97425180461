// What a query asked for, and what it returned.
#include "history/query.hpp"

#include <gtest/gtest.h>

#include "history/builder.hpp"
#include "history/query_counts.hpp"
#include "support/random/draw.hpp"

namespace assay {
namespace {

Key key_named(const History& h, std::string_view name) {
  for (std::uint32_t k = 0; k < h.keys(); ++k) {
    if (h.name(Key{k}) == Atom::string(name)) return Key{k};
  }
  ADD_FAILURE() << "there is no key " << name;
  return {};
}

TEST(Query, ARangeAsksForItsKeysAndReturnsSomeOfThem) {
  const History h = draw("a: i(b,1) i(d,1) i(z,1)\nb: g(a..m,[b=1]) r(d,1)");
  const IdRange<Op> operations = h.operations_of(Txn{1});
  const Op query = operations[0];
  EXPECT_TRUE(is_query(h, query));
  EXPECT_FALSE(is_query(h, operations[1]));
  EXPECT_TRUE(asks_for(h, query, key_named(h, "b")));
  EXPECT_TRUE(asks_for(h, query, key_named(h, "d")));
  EXPECT_FALSE(asks_for(h, query, key_named(h, "z")));
  EXPECT_TRUE(returned(h, query, key_named(h, "b")));
  EXPECT_FALSE(returned(h, query, key_named(h, "d")));
}

TEST(Query, APredicateOnValuesAsksForEveryKey) {
  const History h = draw("a: i(m,6) i(n,1)\nb: p(value >= 5 and value < 9,[m=6])");
  const Op query = h.operations_of(Txn{1})[0];
  EXPECT_TRUE(is_query(h, query));
  EXPECT_TRUE(asks_for(h, query, key_named(h, "n")));
  EXPECT_FALSE(returned(h, query, key_named(h, "n")));
}

TEST(QueryCounts, SayHowMuchIsUnderstood) {
  HistoryBuilder build;
  build.begin(build.session(Atom::integer(1)), Atom::integer(1));
  for (const char* predicate : {"a = 1 or b is null", "lower(a) = 'x'", "a < 'x'"}) {
    build.predicate_read(Atom::string(predicate), {});
  }
  build.predicate_read(Atom::json(R"({"is":1})"), {});
  build.range_read(Atom::integer(1), std::nullopt, {});
  build.rows_read({});
  build.end(Status::committed);
  build.begin(build.session(Atom::integer(1)), Atom::integer(2));
  build.rows_read({});
  build.end(Status::aborted);
  const QueryCounts found = count_queries(build.finish());
  EXPECT_EQ(found.all, 6U);
  EXPECT_EQ(found.evaluated, 2U);
  EXPECT_EQ(found.learned, 1U);
  EXPECT_EQ(found.rows, 1U);
  EXPECT_EQ(found.not_understood, 2U);
}

}  // namespace
}  // namespace assay
