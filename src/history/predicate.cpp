#include "history/predicate.hpp"

#include <charconv>
#include <string_view>

#include "history/key_order.hpp"

namespace assay {

namespace {

std::optional<std::int64_t> number_in(std::string_view text) {
  std::int64_t number = 0;
  const auto [at, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || at != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

std::optional<std::int64_t> shown_number(const Atom& value) {
  if (value.kind == AtomKind::integer) return static_cast<std::int64_t>(value.bits);
  if (value.kind != AtomKind::text) return std::nullopt;
  return number_in(value.text.substr(0, value.text.rfind('@')));
}

bool is_learned(const Atom& predicate) {
  return predicate.kind == AtomKind::json && predicate.text.starts_with("{\"is\":");
}

std::optional<Predicate> Predicate::parse(const Atom& atom) {
  if (atom.kind != AtomKind::text) return std::nullopt;
  Predicate made;
  std::string_view text = atom.text;
  if (const std::size_t star = text.find("* between "); star != std::string_view::npos) {
    made.has_prefix_ = true;
    made.prefix_ = text.substr(0, star);
    text.remove_prefix(star + std::string_view("* between ").size());
    const std::size_t middle = text.find(" and ");
    if (middle == std::string_view::npos) return std::nullopt;
    const auto low = number_in(text.substr(0, middle)), high = number_in(text.substr(middle + 5));
    if (!low || !high) return std::nullopt;
    made.value_ = {*low, *high, false, true};
    return made;
  }
  while (true) {
    const std::size_t end = text.find(" and ");
    if (!made.condition(text.substr(0, end))) return std::nullopt;
    if (end == std::string_view::npos) return made;
    text.remove_prefix(end + 5);
  }
}

// One comparison: "value >= 10".
bool Predicate::condition(std::string_view text) {
  const std::size_t first = text.find(' ');
  const std::size_t second = first == std::string_view::npos ? first : text.find(' ', first + 1);
  if (second == std::string_view::npos) return false;
  const std::string_view what = text.substr(0, first);
  const std::string_view how = text.substr(first + 1, second - first - 1);
  const std::optional<std::int64_t> number = number_in(text.substr(second + 1));
  if (!number || (what != "key" && what != "value")) return false;
  Bounds& bounds = what == "key" ? key_ : value_;
  const auto at_least = [&](std::int64_t n) { bounds.low = n > bounds.low ? n : bounds.low; };
  const auto at_most = [&](std::int64_t n) { bounds.high = n < bounds.high ? n : bounds.high; };
  bounds.asked = true;
  if (how == "=") {
    at_least(*number);
    at_most(*number);
  } else if (how == ">=") {
    at_least(*number);
  } else if (how == "<=") {
    at_most(*number);
  } else if (how == ">") {
    if (*number == INT64_MAX) {
      bounds.empty = true;
    } else {
      at_least(*number + 1);
    }
  } else if (how == "<") {
    if (*number == INT64_MIN) {
      bounds.empty = true;
    } else {
      at_most(*number - 1);
    }
  } else {
    return false;
  }
  return true;
}

bool Predicate::allows_key(const Atom& key) const {
  if (has_prefix_ && (key.kind != AtomKind::text || !key.text.starts_with(prefix_))) return false;
  return key_.admit(key.kind == AtomKind::integer ? std::optional(static_cast<std::int64_t>(key.bits))
                                                  : std::nullopt);
}

int Predicate::side_of(const Atom& key) const {
  if (allows_key(key)) return 0;
  // What matches is a text with the prefix, or an integer between the bounds.
  if (has_prefix_) {
    if (sort_of_key(key) != KeySort::text) return sort_of_key(key) < KeySort::text ? -1 : 1;
    return key.text < prefix_ ? -1 : 1;
  }
  if (sort_of_key(key) != KeySort::number || key.kind != AtomKind::integer) return 1;
  return static_cast<std::int64_t>(key.bits) < key_.low ? -1 : 1;
}

std::optional<Predicate::Numbers> Predicate::numbers() const {
  if (!value_.asked) return std::nullopt;
  return value_.empty ? Numbers{1, 0} : Numbers{value_.low, value_.high};
}

bool Predicate::allows_value(const Atom& value) const {
  return value_.admit(shown_number(value));
}

}  // namespace assay
