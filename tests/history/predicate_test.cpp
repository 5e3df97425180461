// The tiny language of predicates, and the order of keys in ranges.
#include "history/predicate.hpp"

#include <gtest/gtest.h>

#include "history/key_order.hpp"
#include "support/random/random_predicates.hpp"

namespace assay {
namespace {

bool matches(const char* text, const Atom& key, const Atom& value) {
  const auto predicate = Predicate::parse(Atom::string(text));
  EXPECT_TRUE(predicate) << text;
  return predicate && predicate->matches(key, value);
}

TEST(Predicate, ComparesNumbers) {
  const Atom x = Atom::string("x");
  EXPECT_TRUE(matches("value >= 10 and value < 20", x, Atom::integer(10)));
  EXPECT_TRUE(matches("value >= 10 and value < 20", x, Atom::integer(19)));
  EXPECT_FALSE(matches("value >= 10 and value < 20", x, Atom::integer(20)));
  EXPECT_FALSE(matches("value > 10", x, Atom::integer(10)));
  EXPECT_TRUE(matches("value <= -3", x, Atom::integer(-3)));
  EXPECT_TRUE(matches("key = 7", Atom::integer(7), Atom::string("anything")));
  EXPECT_FALSE(matches("key = 7", Atom::string("7"), Atom::integer(1)));
  EXPECT_FALSE(matches("value > 9223372036854775807", x, Atom::integer(INT64_MAX)));
  EXPECT_TRUE(matches("value > 9223372036854775807", x, Atom::natural(UINT64_MAX)));
  EXPECT_TRUE(matches("key > 9223372036854775807", Atom::natural(UINT64_MAX), x));
  EXPECT_TRUE(matches("key >= 10", Atom::natural(UINT64_MAX), x));
  EXPECT_FALSE(matches("value < -9223372036854775808", x, Atom::integer(INT64_MIN)));
}

TEST(Predicate, ReadsTheNumberThatAValueShows) {
  EXPECT_EQ(shown_number(Atom::string("17@4000012")), 17);
  EXPECT_EQ(shown_number(Atom::string("17")), 17);
  EXPECT_EQ(shown_number(Atom::string("seventeen")), std::nullopt);
  EXPECT_EQ(shown_number(Atom::string("")), std::nullopt);
  EXPECT_EQ(shown_number(Atom::json("17.5")), std::nullopt);
  EXPECT_FALSE(matches("value >= 0", Atom::string("x"), Atom::string("none")));
}

TEST(Predicate, UnderstandsWhatTheRecorderWrites) {
  EXPECT_TRUE(matches("row:* between 10 and 19", Atom::string("row:000003"), Atom::string("19@7")));
  EXPECT_FALSE(matches("row:* between 10 and 19", Atom::string("row:000003"), Atom::string("20@7")));
  EXPECT_FALSE(matches("row:* between 10 and 19", Atom::string("other"), Atom::string("19@7")));
}

TEST(Predicate, DoesNotGuess) {
  for (const char* text : {"",
                           "value",
                           "value >= ",
                           "value >= ten",
                           "colour = red",
                           "value >= 3 and",
                           "row:* between 1",
                           "value ! 3",
                           "value >= 3 4",
                           "value between = 3",
                           "value not = 3",
                           "not",
                           "()",
                           "(value = 3",
                           "value = 3)",
                           "value in ()",
                           "value in (1",
                           "value in 1",
                           "name = 'x",
                           "name < 'x'",
                           "name between 'a' and 'b'",
                           "name > true",
                           "name like 'x'",
                           "name like '%x'",
                           "name like 'x_%'",
                           "name like 'x\\%'",
                           "name like x",
                           "lower(name) = 'x'",
                           "name = other",
                           "3 = name",
                           "is is null",
                           "name is 3",
                           "value = 1e9999999999",
                           "row:* where ",
                           "value = 3; value = 4",
                           "value = .5"}) {
    EXPECT_FALSE(Predicate::parse(Atom::string(text))) << text;
  }
  EXPECT_FALSE(Predicate::parse(Atom::integer(3)));
  const std::string deep(200'000, '(');
  EXPECT_FALSE(Predicate::parse(Atom::string(deep + "value = 3")));
  std::string nots;
  for (int i = 0; i < 50'000; ++i) nots += "not ";
  EXPECT_FALSE(Predicate::parse(Atom::string(nots + "value = 3")));
}

TEST(Predicate, AsksForColumns) {
  const Atom key = Atom::string("stock:7");
  const Atom row =
      Atom::json(R"({"@":12,"quantity":9.50,"place":"Kiel","n\u00e9":null,"sold":false,"tags":[1]})");
  EXPECT_TRUE(matches("stock:* where quantity < 10 and (place = 'Kiel' or place is null)", key, row));
  EXPECT_TRUE(matches("stock:* where quantity = 9.5 AND sold = FALSE", key, row));
  EXPECT_FALSE(matches("shop:* where quantity < 10", key, row));
  EXPECT_TRUE(matches("place like 'Ki%' and place not in ('Bonn', 'Ulm')", key, row));
  EXPECT_FALSE(matches("place = 'kiel'", key, row));
  EXPECT_TRUE(matches("key = 'stock:7' and \"key\" is null", key, row));
  EXPECT_TRUE(matches("\"n\xc3\xa9\" is null and nobody is null", key, row));
  // An array compares with nothing, and is not null.
  EXPECT_FALSE(matches("tags = 1 or tags <> 1 or tags is null", key, row));
  // Nor does what is null, or of another sort: unknown, and so is its negation.
  for (const char* text : {"nobody = 1", "nobody <> 1", "not nobody = 1", "place = 3", "not (place = 3)",
                           "quantity in (3, null) or not quantity in (3, null)"}) {
    EXPECT_FALSE(matches(text, key, row)) << text;
  }
  EXPECT_TRUE(matches("nobody = 1 or quantity > 9", key, row));
  EXPECT_FALSE(matches("not (nobody = 1 and quantity > 9)", key, row));
  EXPECT_TRUE(matches("not (nobody = 1 and quantity > 10)", key, row));
}

TEST(Predicate, ComparesDecimalsExactly) {
  const Atom x = Atom::string("x");
  const auto is = [&](const char* number, const char* condition) {
    const std::string row = std::string(R"({"v":)") + number + "}";
    return matches((std::string("v ") + condition).c_str(), x, Atom::json(row));
  };
  EXPECT_TRUE(is("0.1", "= 0.10"));
  EXPECT_TRUE(is("1e2", "= 100"));
  EXPECT_TRUE(is("-0.0", "= 0"));
  EXPECT_TRUE(is("12345678901234567890.1", "> 12345678901234567890"));
  EXPECT_TRUE(is("-12345678901234567890.1", "< -12345678901234567890"));
  EXPECT_TRUE(is("1e400", "> 1e399"));
  EXPECT_TRUE(is("1e-400", "> 0"));
  EXPECT_TRUE(is("9223372036854775808", "> 9223372036854775807"));
  EXPECT_TRUE(is("0.00999", "< 0.01"));
  EXPECT_FALSE(is("1e99999999999", "> 0"));  // beyond what is understood: unknown
}

TEST(Predicate, IsSafeWithValuesThatAreNoJson) {
  for (const char* value :
       {"{", "{\"", "{\"a", "{\"a\\", "{\"a\":", "{\"a\":1", "{\"a\":\"", "{\"a\":[[[", "{\"a\":}}",
        "{\"a\\u12\":1}", "{\"b\":\"\\ud800\",\"a\":2}", "{]", "{,", "{\"a\":\"\\u00"}) {
    const auto predicate = Predicate::parse(Atom::string("a = 2 or a is null or a like 'x%'"));
    predicate->matches(Atom::string("k"), Atom::json(value));
  }
}

// What the parts of the program that count rely on: a row matches iff its key is allowed and its column lies in the
// interval, where there is one.
TEST(Predicate, SaysWhatSqlSays) {
  const std::uint64_t seed = random_seed();
  std::uint64_t intervals = 0, matched = 0;
  for (std::uint64_t i = 0; i < random_cases(3000); ++i) {
    Rng rng(seed + i);
    const DrawnPredicate drawn = random_predicate(rng, static_cast<int>(rng.below(4)));
    const auto predicate = Predicate::parse(Atom::string(drawn.text));
    ASSERT_TRUE(predicate) << drawn.text;
    const auto interval = predicate->interval();
    intervals += interval ? 1 : 0;
    for (std::int64_t number = 1; number < 30; ++number) {
      const std::int64_t k = 1 + number % 3;
      const Atom key = Atom::integer(k);
      const std::string text = drawn_value(number);
      const Atom value = Atom::json(text);
      const bool expected = drawn.truth(drawn_row(k, number)) == std::optional(true);
      matched += expected ? 1 : 0;
      ASSERT_EQ(predicate->matches(key, value), expected) << drawn.text << " of " << k << " " << text;
      if (predicate->every_row()) {
        ASSERT_EQ(predicate->allows_key(key), expected) << drawn.text;
      }
      if (!interval) continue;
      const Scalar its = held(predicate->columns()[interval->column], key, value);
      const Scalar& bound = interval->low ? *interval->low : *interval->high;
      const bool inside = its.sort() == bound.sort() &&
                          (!interval->low || its.compare(*interval->low) >= (interval->low_open ? 1 : 0)) &&
                          (!interval->high || its.compare(*interval->high) <= (interval->high_open ? -1 : 0));
      ASSERT_EQ(predicate->allows_key(key) && inside, expected) << drawn.text << " of " << text;
    }
  }
  EXPECT_GT(intervals, 0U);
  EXPECT_GT(matched, 0U);
}

TEST(KeyOrder, ComparesNumbersByValueAndTextsByBytes) {
  const auto in = [](const Atom& key, const Atom& low, const Atom& high) { return in_range(key, low, high); };
  EXPECT_TRUE(in(Atom::integer(9), Atom::integer(-1), Atom::integer(10)));
  EXPECT_TRUE(in(Atom::natural(UINT64_MAX), Atom::integer(0), Atom::natural(UINT64_MAX)));
  EXPECT_FALSE(in(Atom::natural(UINT64_MAX), Atom::integer(0), Atom::integer(INT64_MAX)));
  EXPECT_FALSE(in(Atom::string("9"), Atom::string("10"), Atom::string("11")));
  EXPECT_TRUE(in(Atom::string("\xc3\xa4"), Atom::string("a"), Atom::string("\xff")));
  EXPECT_FALSE(in(Atom::integer(5), Atom::string("1"), Atom::string("9")));
  EXPECT_TRUE(in_range(Atom::integer(5), std::nullopt, std::nullopt));
  EXPECT_TRUE(in_range(Atom::integer(5), Atom::integer(5), std::nullopt));
}

}  // namespace
}  // namespace assay
