// A strict, forward-only reader of JSON text (RFC 8259) that builds nothing: a format asks for what its
// grammar has at this place and gets it or an InputError with the position. Integers keep all their 64 bits;
// texts are views into the input wherever the input spells them without escapes.
//
//   JsonCursor json(path, bytes);
//   json.object([&](std::string_view field) {
//     if (field == "s") session = json.atom("a session");
//     else json.skip_value();
//   });
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "history/atom.hpp"
#include "system/input_error.hpp"

namespace assay::format {

class JsonCursor {
 public:
  // `path` and `bytes` are borrowed. `first_line` is the line number of the first byte.
  JsonCursor(std::string_view path, std::string_view bytes, std::size_t first_line = 1)
      : path_(path), text_(bytes), first_line_(first_line) {}

  // Starts over on other bytes of the same file; everything handed out before is forgotten.
  void reset(std::string_view bytes, std::size_t first_line) {
    text_ = bytes;
    first_line_ = first_line;
    at_ = 0;
    kept_used_ = 0;
  }

  std::size_t offset() const { return at_; }

  // The next character that is not white space, or '\0' at the end of the input.
  char peek() {
    skip_space();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool at_end() {
    skip_space();
    return at_ == text_.size();
  }
  bool accept(char c) {
    if (at_ < text_.size() && text_[at_] == c) {
      ++at_;
      return true;
    }
    if (peek() != c || at_ == text_.size()) return false;
    ++at_;
    return true;
  }
  void expect(char c, const char* what) {
    if (!accept(c)) fail_expected(what);
  }
  bool accept_null() { return peek() == 'n' && accept_word("null"); }

  // Calls on_field(name) for each field, with the cursor at its value, which on_field must consume.
  template <class OnField>
  void object(OnField&& on_field, const char* what = "an object") {
    expect('{', what);
    if (accept('}')) return;
    do {
      const std::string_view name = string("a field name");
      expect(':', "':' after a field name");
      on_field(name);
    } while (accept(','));
    expect('}', "',' or '}'");
  }
  // Calls on_element() with the cursor at each element, which on_element must consume.
  template <class OnElement>
  void array(OnElement&& on_element, const char* what = "an array") {
    expect('[', what);
    if (accept(']')) return;
    do {
      on_element();
    } while (accept(','));
    expect(']', "',' or ']'");
  }

  // Any value as an atom: integers of 64 bits as numbers, strings as texts, all else as JSON text without
  // white space. Null becomes the JSON text "null"; a caller for whom it means something asks accept_null()
  // first.
  Atom atom(const char* what) {
    const char c = peek();
    if (c == '"') return Atom::string(string(what));
    if (c == '-' || (c >= '0' && c <= '9')) return number();
    return other_atom(what);
  }
  std::string_view string(const char* what) {
    if (!accept('"')) fail_expected(what);
    for (std::size_t i = at_; i < text_.size(); ++i) {
      const auto c = static_cast<unsigned char>(text_[i]);
      if (c == '"') {
        const std::string_view plain = text_.substr(at_, i - at_);
        at_ = i + 1;
        return plain;
      }
      if (c == '\\' || c < 0x20 || c >= 0x80) break;
    }
    return difficult_string();
  }
  std::int64_t integer(const char* what);
  bool boolean(const char* what);
  void skip_value();

  [[noreturn]] void fail_expected(const char* what) const;
  // At the cursor, or at an offset() taken before.
  [[noreturn]] void fail(const std::string& message) const { fail_at(at_, message); }
  [[noreturn]] void fail_at(std::size_t offset, const std::string& message) const;

 private:
  static constexpr int kMostDepth = 128;

  void skip_space() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r')) {
      ++at_;
    }
  }
  bool accept_word(std::string_view word);
  Atom number() {
    const std::size_t start = at_;
    const bool negative = text_[at_] == '-';
    std::size_t i = at_ + (negative ? 1 : 0);
    const std::size_t digits = i;
    std::uint64_t value = 0;
    for (; i < text_.size() && text_[i] >= '0' && text_[i] <= '9'; ++i) {
      value = value * 10 + static_cast<std::uint64_t>(text_[i] - '0');
    }
    // Eighteen digits cannot overflow; everything longer or with a fraction takes the careful way.
    const bool plain = i > digits && i - digits <= 18 && (text_[digits] != '0' || i - digits == 1) &&
                       !(i < text_.size() && (text_[i] == '.' || text_[i] == 'e' || text_[i] == 'E'));
    if (!plain) return difficult_number(start);
    at_ = i;
    return Atom::integer(negative ? -static_cast<std::int64_t>(value) : static_cast<std::int64_t>(value));
  }
  Atom difficult_number(std::size_t start);
  std::string_view difficult_string();
  std::uint32_t unicode_escape();
  Atom other_atom(const char* what);
  void copy_value(std::string* out, int depth);
  std::string& keep();

  std::string_view path_;
  std::string_view text_;
  std::size_t first_line_;
  std::size_t at_ = 0;
  std::deque<std::string> kept_;  // unescaped strings and JSON texts, until reset()
  std::size_t kept_used_ = 0;
};

// The field names of the first object of a text, which may be the first element of an array; for sniffing.
// Looks at the first kilobytes only and never throws.
std::vector<std::string> first_object_fields(std::string_view bytes);

}  // namespace assay::format
