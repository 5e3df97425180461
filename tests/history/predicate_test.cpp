// The tiny language of predicates, and the order of keys in ranges.
#include "history/predicate.hpp"

#include <gtest/gtest.h>

#include "history/key_order.hpp"

namespace assay {
namespace {

bool matches(const char* text, const Atom& key, const Atom& value) {
  const auto predicate = Predicate::parse(Atom::string(text));
  EXPECT_TRUE(predicate) << text;
  return predicate && predicate->allows_key(key) && predicate->allows_value(value);
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
  for (const char* text :
       {"", "value", "value >= ", "value >= ten", "colour = 3", "value != 3", "value >= 3 and",
        "value >= 3 or value < 1", "row:* between 1", "value  >= 3", "value >= 3 "}) {
    EXPECT_FALSE(Predicate::parse(Atom::string(text))) << text;
  }
  EXPECT_FALSE(Predicate::parse(Atom::integer(3)));
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
