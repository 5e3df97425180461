#include "history/scalar.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace assay {

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::optional<std::int64_t> integer_in(std::string_view text) {
  std::int64_t number = 0;
  const auto [at, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || at != text.data() + text.size()) return std::nullopt;
  return number;
}

// Takes JSON apart: what was read is checked by whoever read it, so this only has to be safe with anything.
class JsonScan {
 public:
  explicit JsonScan(std::string_view text) : text_(text) {}

  bool done() const { return at_ >= text_.size(); }
  bool accept(char c) {
    if (done() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  // The string that stands here, with its quotes; empty if there is none.
  std::string_view string() {
    const std::size_t begin = at_;
    if (!accept('"')) return {};
    while (!done() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
    if (at_ >= text_.size()) return fail();
    ++at_;
    return text_.substr(begin, at_ - begin);
  }
  // The value that stands here; empty if there is none.
  std::string_view value() {
    const std::size_t begin = at_;
    std::size_t depth = 0;
    while (!done()) {
      const char c = text_[at_];
      if (c == '"') {
        if (string().empty()) return fail();
        continue;
      }
      if (c == '{' || c == '[') ++depth;
      if (depth == 0 && (c == ',' || c == '}' || c == ']')) break;
      if (c == '}' || c == ']') --depth;
      ++at_;
    }
    return text_.substr(begin, at_ - begin);
  }

 private:
  std::string_view fail() {
    at_ = text_.size();
    return {};
  }
  std::string_view text_;
  std::size_t at_ = 0;
};

void append_utf8(std::string& out, std::uint32_t c) {
  const auto byte = [&](std::uint32_t b) { out += static_cast<char>(static_cast<unsigned char>(b)); };
  if (c < 0x80) {
    byte(c);
  } else if (c < 0x800) {
    byte(0xC0U | c >> 6);
    byte(0x80U | (c & 0x3FU));
  } else if (c < 0x10000) {
    byte(0xE0U | c >> 12);
    byte(0x80U | (c >> 6 & 0x3FU));
    byte(0x80U | (c & 0x3FU));
  } else {
    byte(0xF0U | c >> 18);
    byte(0x80U | (c >> 12 & 0x3FU));
    byte(0x80U | (c >> 6 & 0x3FU));
    byte(0x80U | (c & 0x3FU));
  }
}

std::optional<std::uint32_t> four_hex_digits(std::string_view text) {
  if (text.size() < 4) return std::nullopt;
  std::uint32_t code = 0;
  const auto [at, error] = std::from_chars(text.data(), text.data() + 4, code, 16);
  return error == std::errc{} && at == text.data() + 4 ? std::optional(code) : std::nullopt;
}

// A JSON string without its quotes and escapes; nothing if it has one that is none.
std::optional<std::string> unescaped(std::string_view quoted) {
  std::string_view in = quoted.substr(1, quoted.size() - 2);
  std::string out;
  while (!in.empty()) {
    const std::size_t plain = std::min(in.find('\\'), in.size());
    out += in.substr(0, plain);
    in.remove_prefix(plain);
    if (in.size() < 2) break;
    const char what = in[1];
    in.remove_prefix(2);
    constexpr std::string_view kFrom = "\"\\/bfnrt", kTo = "\"\\/\b\f\n\r\t";
    if (const std::size_t known = kFrom.find(what); known != std::string_view::npos) {
      out += kTo[known];
      continue;
    }
    auto code = what == 'u' ? four_hex_digits(in) : std::nullopt;
    if (!code) return std::nullopt;
    in.remove_prefix(4);
    if (*code >= 0xD800 && *code < 0xDC00 && in.starts_with("\\u")) {
      const auto low = four_hex_digits(in.substr(2));
      if (!low || *low < 0xDC00 || *low >= 0xE000) return std::nullopt;
      code = 0x10000U + ((*code - 0xD800U) << 10) + (*low - 0xDC00U);
      in.remove_prefix(6);
    }
    append_utf8(out, *code);
  }
  return out;
}

Scalar scalar_of_json(std::string_view json) {
  if (json == "null") return {};
  if (json == "true" || json == "false") return Scalar::boolean(json == "true");
  if (json.size() >= 2 && json.front() == '"') {
    auto text = unescaped(json);
    return text ? Scalar::text(std::move(*text)) : Scalar::other();
  }
  return Scalar::number(json).value_or(Scalar::other());
}

bool is_named(std::string_view quoted, std::string_view name) {
  if (quoted.size() == name.size() + 2 && quoted.find('\\') == std::string_view::npos) {
    return quoted.substr(1, name.size()) == name;
  }
  const auto text = unescaped(quoted);
  return text && *text == name;
}

Scalar member_of(std::string_view object, std::string_view name) {
  JsonScan scan(object);
  if (!scan.accept('{')) return {};
  do {
    const std::string_view member = scan.string();
    if (member.empty() || !scan.accept(':')) return {};
    const std::string_view value = scan.value();
    if (is_named(member, name)) return scalar_of_json(value);
  } while (scan.accept(','));
  return {};
}

}  // namespace

Scalar Scalar::boolean(bool value) {
  Scalar made;
  made.sort_ = Sort::boolean;
  made.whole_ = value ? 1 : 0;
  return made;
}

Scalar Scalar::integer(std::int64_t value) {
  Scalar made;
  made.sort_ = Sort::number;
  made.small_ = true;
  made.whole_ = value;
  return made;
}

Scalar Scalar::text(std::string value) {
  Scalar made;
  made.sort_ = Sort::text;
  made.digits_ = std::move(value);
  return made;
}

Scalar Scalar::other() {
  Scalar made;
  made.sort_ = Sort::other;
  return made;
}

std::optional<Scalar> Scalar::number(std::string_view text) {
  if (const auto whole = integer_in(text)) return integer(*whole);
  Scalar made;
  made.sort_ = Sort::number;
  std::string_view in = text;
  made.negative_ = in.starts_with('-');
  if (made.negative_) in.remove_prefix(1);
  const auto take_digits = [&] {
    const auto end = std::find_if_not(in.begin(), in.end(), is_digit);
    const std::string_view taken = in.substr(0, static_cast<std::size_t>(end - in.begin()));
    in.remove_prefix(taken.size());
    return taken;
  };
  const std::string_view before = take_digits();
  if (before.empty()) return std::nullopt;
  made.digits_ = before;
  made.exponent_ = static_cast<std::int64_t>(before.size());
  if (in.starts_with('.')) {
    in.remove_prefix(1);
    const std::string_view behind = take_digits();
    if (behind.empty()) return std::nullopt;
    made.digits_ += behind;
  }
  if (in.starts_with('e') || in.starts_with('E')) {
    in.remove_prefix(1);
    const bool minus = in.starts_with('-');
    if (minus || in.starts_with('+')) in.remove_prefix(1);
    std::string_view exponent = take_digits();
    if (exponent.empty()) return std::nullopt;
    exponent.remove_prefix(std::min(exponent.find_first_not_of('0'), exponent.size()));
    if (exponent.size() > 9) return in.empty() ? std::optional(other()) : std::nullopt;
    const std::int64_t by = exponent.empty() ? 0 : *integer_in(exponent);
    made.exponent_ += minus ? -by : by;
  }
  if (!in.empty()) return std::nullopt;
  const std::size_t zeros = std::min(made.digits_.find_first_not_of('0'), made.digits_.size());
  made.digits_.erase(0, zeros);
  made.exponent_ -= static_cast<std::int64_t>(zeros);
  made.digits_.erase(made.digits_.find_last_not_of('0') + 1);
  if (made.digits_.empty()) return integer(0);
  // What is whole and fits has one form only.
  constexpr std::int64_t kMostDigits = 19;
  const auto length = static_cast<std::int64_t>(made.digits_.size());
  if (made.exponent_ >= length && made.exponent_ <= kMostDigits) {
    const std::string whole = (made.negative_ ? "-" : "") + made.digits_ +
                              std::string(static_cast<std::size_t>(made.exponent_ - length), '0');
    if (const auto small = integer_in(whole)) return integer(*small);
  }
  return made;
}

std::optional<std::int64_t> Scalar::whole() const {
  return sort_ == Sort::number && small_ ? std::optional(whole_) : std::nullopt;
}

int Scalar::compare(const Scalar& other) const {
  const auto three_way = [](const auto& a, const auto& b) { return a < b ? -1 : b < a ? 1 : 0; };
  if (sort_ != other.sort_) return three_way(sort_, other.sort_);
  if (sort_ == Sort::boolean) return three_way(whole_, other.whole_);
  if (sort_ == Sort::text) return three_way(digits_, other.digits_);
  if (sort_ != Sort::number) return 0;
  if (small_ && other.small_) return three_way(whole_, other.whole_);
  const auto large = [](const Scalar& s) {
    if (!s.small_) return s;
    Scalar made;
    made.digits_ = std::to_string(s.whole_);
    made.negative_ = s.whole_ < 0;
    if (made.negative_) made.digits_.erase(0, 1);
    made.exponent_ = static_cast<std::int64_t>(made.digits_.size());
    made.digits_.erase(made.digits_.find_last_not_of('0') + 1);  // of 0 nothing is left
    return made;
  };
  const Scalar a = large(*this), b = large(other);
  const int sign = a.digits_.empty() ? 0 : a.negative_ ? -1 : 1;
  const int other_sign = b.digits_.empty() ? 0 : b.negative_ ? -1 : 1;
  if (sign != other_sign) return three_way(sign, other_sign);
  const int size =
      a.exponent_ != b.exponent_ ? three_way(a.exponent_, b.exponent_) : three_way(a.digits_, b.digits_);
  return sign * size;
}

std::optional<std::int64_t> shown_number(const Atom& value) {
  if (value.kind == AtomKind::integer) return static_cast<std::int64_t>(value.bits);
  if (value.kind != AtomKind::text) return std::nullopt;
  return integer_in(value.text.substr(0, value.text.rfind('@')));
}

// Among keys, other JSON values do not compare with anything (key_order.hpp).
Scalar scalar_of_key(const Atom& key) {
  switch (key.kind) {
    case AtomKind::integer:
      return Scalar::integer(static_cast<std::int64_t>(key.bits));
    case AtomKind::natural:
      return *Scalar::number(std::to_string(key.bits));
    case AtomKind::text:
      return Scalar::text(std::string(key.text));
    case AtomKind::json:
      break;
  }
  return Scalar::other();
}

Scalar column_of(const Atom& value, std::string_view column) {
  if (value.kind == AtomKind::json && value.text.starts_with('{')) return member_of(value.text, column);
  if (column != "value") return {};
  if (const auto number = shown_number(value)) return Scalar::integer(*number);
  return value.kind == AtomKind::json ? scalar_of_json(value.text) : scalar_of_key(value);
}

}  // namespace assay
