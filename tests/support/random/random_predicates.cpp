#include "support/random/random_predicates.hpp"

#include <array>
#include <utility>
#include <vector>

namespace assay {

namespace {

using Truth = std::optional<bool>;
using TruthOf = std::function<Truth(const DrawnRow&)>;

Truth negated(Truth truth) {
  return truth ? Truth(!*truth) : Truth();
}
Truth both(Truth x, Truth y) {
  if (x == Truth(false) || y == Truth(false)) return false;
  return x && y ? Truth(true) : Truth();
}
Truth either(Truth x, Truth y) {
  return negated(both(negated(x), negated(y)));
}

// A column of numbers, in halves, or nothing.
struct NumberColumn {
  const char* name;
  std::function<std::optional<std::int64_t>(const DrawnRow&)> halves;
};

NumberColumn number_column(Rng& rng) {
  switch (rng.below(3)) {
    case 0:
      return {"key",
              [](const DrawnRow& row) { return row.key ? std::optional(2 * *row.key) : std::nullopt; }};
    case 1:
      return {"a", [](const DrawnRow& row) { return row.a ? std::optional(2 * *row.a) : std::nullopt; }};
    default:
      return {rng.chance(0.5) ? "d" : "\"d\"", [](const DrawnRow& row) { return row.halves; }};
  }
}

// A number of halves in one of its spellings.
std::string spelled(Rng& rng, std::int64_t halves) {
  const std::string sign = halves < 0 ? "-" : "";
  const std::int64_t size = halves < 0 ? -halves : halves;
  if (size % 2 == 0 && rng.chance(0.6)) return sign + std::to_string(size / 2);
  std::string decimal = sign + std::to_string(size / 2) + (size % 2 == 1 ? ".5" : ".0");
  switch (rng.below(3)) {
    case 0:
      return decimal;
    case 1:
      return decimal + "0";
    default:
      return sign + std::to_string(size * 5) + "e-1";
  }
}

std::string word(Rng& rng, std::string lower) {
  if (rng.chance(0.3)) {
    for (char& c : lower) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  }
  return lower;
}

DrawnPredicate number_test(Rng& rng) {
  const NumberColumn column = number_column(rng);
  const auto draw = [&] { return static_cast<std::int64_t>(rng.below(10)) - 2; };
  const std::int64_t bound = draw();
  const auto compared = [halves = column.halves](auto is_so) -> TruthOf {
    return [=](const DrawnRow& row) -> Truth {
      const auto its = halves(row);
      return its ? Truth(is_so(*its)) : Truth();
    };
  };
  const std::string name = std::string(column.name) + " ";
  switch (rng.below(9)) {
    case 0:
      return {name + "= " + spelled(rng, bound), compared([=](auto n) { return n == bound; })};
    case 1:
      return {name + "<> " + spelled(rng, bound), compared([=](auto n) { return n != bound; })};
    case 2:
      return {name + "<" + spelled(rng, bound), compared([=](auto n) { return n < bound; })};
    case 3:
      return {name + "<= " + spelled(rng, bound), compared([=](auto n) { return n <= bound; })};
    case 4:
      return {name + "> " + spelled(rng, bound), compared([=](auto n) { return n > bound; })};
    case 5:
      return {name + ">=" + spelled(rng, bound), compared([=](auto n) { return n >= bound; })};
    case 6: {
      const std::int64_t high = draw();
      return {name + word(rng, "between ") + spelled(rng, bound) + word(rng, " and ") + spelled(rng, high),
              compared([=](auto n) { return bound <= n && n <= high; })};
    }
    case 7: {
      const std::int64_t high = draw();
      return {name + word(rng, "not between ") + spelled(rng, bound) + " and " + spelled(rng, high),
              compared([=](auto n) { return n < bound || high < n; })};
    }
    default: {
      // In a list with a null nothing is certainly not.
      const std::int64_t other = draw();
      const bool has_null = rng.chance(0.3), turned = rng.chance(0.4);
      const std::string list =
          "(" + spelled(rng, bound) + ", " + spelled(rng, other) + (has_null ? ",null)" : ")");
      return {name + (turned ? "not in " : "in ") + list, [=, halves = column.halves](const DrawnRow& row) {
                const auto its = halves(row);
                const bool is_in = its && (*its == bound || *its == other);
                if (is_in) return Truth(!turned);
                return !its || has_null ? Truth() : Truth(turned);
              }};
    }
  }
}

DrawnPredicate text_test(Rng& rng) {
  constexpr std::array<const char*, 5> kTexts{"x", "xy", "z", "it's", ""};
  const std::string text = kTexts[rng.below(static_cast<std::uint32_t>(kTexts.size()))];
  const std::string quoted = text == "it's" ? "'it''s'" : "'" + text + "'";
  const auto of_text = [](auto is_so) -> TruthOf {
    return [=](const DrawnRow& row) { return row.b ? Truth(is_so(*row.b)) : Truth(); };
  };
  switch (rng.below(6)) {
    case 0:
      return {"b = " + quoted, of_text([=](const auto& b) { return b == text; })};
    case 1:
      return {"b != " + quoted, of_text([=](const auto& b) { return b != text; })};
    case 2:
      return {"b like 'x%'", of_text([](const auto& b) { return b.starts_with('x'); })};
    case 3:
      return {"b NOT LIKE 'x%'", of_text([](const auto& b) { return !b.starts_with('x'); })};
    case 4:
      return {"b in ('x'," + quoted + ")", of_text([=](const auto& b) { return b == "x" || b == text; })};
    default:  // a text and a number do not compare
      return {"b = 3", [](const DrawnRow&) { return Truth(); }};
  }
}

DrawnPredicate other_test(Rng& rng) {
  const bool turned = rng.chance(0.5);
  const std::string null = turned ? " is not null" : " is null";
  switch (rng.below(5)) {
    case 0:
      return {"a" + null, [=](const DrawnRow& row) { return Truth(row.a.has_value() == turned); }};
    case 1:
      return {"b" + null, [=](const DrawnRow& row) { return Truth(row.b.has_value() == turned); }};
    case 2:
      return {"nothing" + null, [=](const DrawnRow&) { return Truth(!turned); }};
    case 3:
      return {turned ? "c = TRUE" : "c <> true",
              [=](const DrawnRow& row) { return row.c ? Truth(*row.c == turned) : Truth(); }};
    default:
      return {"a = null", [](const DrawnRow&) { return Truth(); }};
  }
}

}  // namespace

DrawnRow drawn_row(std::optional<std::int64_t> key, std::int64_t number) {
  constexpr std::array<const char*, 4> kTexts{"x", "xy", "z", "it's"};
  DrawnRow row;
  row.key = key;
  if (number % 5 != 4) row.a = number % 5;
  if (number % 4 != 3 || number % 8 == 7) row.b = kTexts[static_cast<std::size_t>(number % 4)];
  if (number % 3 != 2) row.c = number % 3 == 0;
  if (number % 7 != 6) row.halves = number % 7 - 2;
  return row;
}

std::string drawn_value(std::int64_t number) {
  const DrawnRow row = drawn_row(0, number);
  std::string made = "{\"@\":" + std::to_string(number);
  // A member that is null is as good as none.
  if (row.a || number % 2 == 0) made += ",\"a\":" + (row.a ? std::to_string(*row.a) : "null");
  if (row.b) made += ",\"b\":\"" + *row.b + "\"";
  if (row.c) made += std::string(",\"c\":") + (*row.c ? "true" : "false");
  if (row.halves) {
    constexpr std::array<const char*, 6> kHalves{"-1", "-0.5", "0", "0.50", "1e0", "15e-1"};
    made += std::string(",\"d\":") + kHalves[static_cast<std::size_t>(*row.halves + 2)];
  }
  return made + "}";
}

DrawnPredicate random_predicate(Rng& rng, int depth) {
  if (depth == 0 || rng.chance(0.3)) {
    const std::uint32_t draw = rng.below(10);
    return draw < 6 ? number_test(rng) : draw < 8 ? text_test(rng) : other_test(rng);
  }
  DrawnPredicate first = random_predicate(rng, depth - 1);
  if (rng.chance(0.2)) {
    return {word(rng, "not (") + first.text + ")",
            [of = first.truth](const DrawnRow& row) { return negated(of(row)); }};
  }
  DrawnPredicate second = random_predicate(rng, depth - 1);
  const bool is_and = rng.chance(0.6);
  return {"(" + first.text + word(rng, is_and ? ") and (" : ") or (") + second.text + ")",
          [=, x = first.truth, y = second.truth](const DrawnRow& row) {
            return is_and ? both(x(row), y(row)) : either(x(row), y(row));
          }};
}

}  // namespace assay
