// What a query asked for, and what it returned.
#include "history/query.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace assay
