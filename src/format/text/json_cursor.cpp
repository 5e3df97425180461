#include "format/text/json_cursor.hpp"

#include <charconv>

#include "format/text/text_position.hpp"
#include "format/text/utf8.hpp"

namespace assay::format {

void JsonCursor::fail_at(std::size_t offset, const std::string& message) const {
  throw InputError(std::string(path_), text_position(text_, offset, first_line_), message);
}

void JsonCursor::fail_expected(const char* what) const {
  fail(std::string("expected ") + what + ", found " + what_stands_at(text_, at_));
}

bool JsonCursor::accept_word(std::string_view word) {
  if (text_.substr(at_, word.size()) != word) return false;
  at_ += word.size();
  return true;
}

std::string& JsonCursor::keep() {
  if (kept_used_ == kept_.size()) kept_.emplace_back();
  std::string& text = kept_[kept_used_++];
  text.clear();
  return text;
}

std::int64_t JsonCursor::integer(const char* what) {
  const char c = peek();
  if (c != '-' && (c < '0' || c > '9')) fail_expected(what);
  const std::size_t start = at_;
  const Atom atom = number();
  if (atom.kind != AtomKind::integer) {
    at_ = start;
    fail_expected(what);
  }
  return static_cast<std::int64_t>(atom.bits);
}

bool JsonCursor::boolean(const char* what) {
  const char c = peek();
  if (c == 't' && accept_word("true")) return true;
  if (c == 'f' && accept_word("false")) return false;
  fail_expected(what);
}

Atom JsonCursor::difficult_number(std::size_t start) {
  const auto digit = [&] { return at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; };
  const auto skip_digits = [&] {
    if (!digit()) fail_expected("a digit");
    while (digit()) ++at_;
  };
  at_ = start;
  if (text_[at_] == '-') ++at_;
  if (at_ < text_.size() && text_[at_] == '0') {
    ++at_;
    if (digit()) fail("a number must not start with 0");
  } else {
    skip_digits();
  }
  bool whole = true;
  if (at_ < text_.size() && text_[at_] == '.') {
    whole = false;
    ++at_;
    skip_digits();
  }
  if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
    whole = false;
    ++at_;
    if (at_ < text_.size() && (text_[at_] == '+' || text_[at_] == '-')) ++at_;
    skip_digits();
  }
  const std::string_view spelled = text_.substr(start, at_ - start);
  if (!whole) return Atom::json(spelled);
  const char* first = spelled.data();
  const char* last = first + spelled.size();
  std::int64_t integer = 0;
  if (std::from_chars(first, last, integer).ec == std::errc{}) return Atom::integer(integer);
  std::uint64_t natural = 0;
  if (*first != '-' && std::from_chars(first, last, natural).ec == std::errc{}) return Atom::natural(natural);
  return Atom::json(spelled);
}

std::uint32_t JsonCursor::unicode_escape() {
  std::uint32_t code = 0;
  const char* first = text_.data() + at_;
  if (text_.size() - at_ < 4 || std::from_chars(first, first + 4, code, 16).ptr != first + 4) {
    fail_expected("four hexadecimal digits after \\u");
  }
  at_ += 4;
  return code;
}

// The cursor stands after the opening quote.
std::string_view JsonCursor::difficult_string() {
  std::string& out = keep();
  while (true) {
    if (at_ == text_.size()) fail("the string does not end");
    const auto c = static_cast<unsigned char>(text_[at_]);
    if (c == '"') {
      ++at_;
      return out;
    }
    if (c < 0x20) fail("a control character in a string must be escaped");
    if (c != '\\') {
      const std::size_t length = utf8_length(text_, at_);
      if (length == 0) fail("a string must be UTF-8, found " + what_stands_at(text_, at_));
      out += text_.substr(at_, length);
      at_ += length;
      continue;
    }
    const std::size_t escape = at_++;
    switch (at_ < text_.size() ? text_[at_++] : '\0') {
      case '"':
        out += '"';
        break;
      case '\\':
        out += '\\';
        break;
      case '/':
        out += '/';
        break;
      case 'b':
        out += '\b';
        break;
      case 'f':
        out += '\f';
        break;
      case 'n':
        out += '\n';
        break;
      case 'r':
        out += '\r';
        break;
      case 't':
        out += '\t';
        break;
      case 'u': {
        std::uint32_t code = unicode_escape();
        if (code >= 0xD800 && code < 0xDC00 && accept_word("\\u")) {
          const std::uint32_t low = unicode_escape();
          if (low < 0xDC00 || low > 0xDFFF) fail_at(escape, "half a surrogate pair is not a character");
          code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
        }
        if (code >= 0xD800 && code <= 0xDFFF) fail_at(escape, "half a surrogate pair is not a character");
        append_utf8(out, code);
        break;
      }
      default:
        fail_at(escape, "expected an escape sequence, found " + what_stands_at(text_, escape));
    }
  }
}

Atom JsonCursor::other_atom(const char* what) {
  const char c = peek();
  if (c == 't' || c == 'f' || c == 'n') {
    for (const std::string_view word : {"true", "false", "null"}) {
      if (accept_word(word)) return Atom::json(word);
    }
  }
  if (c != '{' && c != '[') fail_expected(what);
  std::string& out = keep();
  copy_value(&out, 1);
  return Atom::json(out);
}

void JsonCursor::skip_value() {
  copy_value(nullptr, 0);
}

// Copies one value without its white space, checking every byte of it. Strings keep the spelling they have.
void JsonCursor::copy_value(std::string* out, int depth) {
  if (depth > kMostDepth) fail("nested more than 128 deep");
  const auto copy_string = [&](const char* what) {
    if (peek() != '"') fail_expected(what);
    const std::size_t start = at_;
    const std::size_t kept = kept_used_;
    string(what);
    kept_used_ = kept;
    if (out != nullptr) *out += text_.substr(start, at_ - start);
  };
  const auto put = [&](char c) {
    if (out != nullptr) *out += c;
  };
  switch (peek()) {
    case '{':
    case '[': {
      const bool is_object = text_[at_] == '{';
      const char close = is_object ? '}' : ']';
      put(text_[at_++]);
      if (!accept(close)) {
        while (true) {
          if (is_object) {
            copy_string("a field name");
            expect(':', "':' after a field name");
            put(':');
          }
          copy_value(out, depth + 1);
          if (!accept(',')) break;
          put(',');
        }
        expect(close, is_object ? "',' or '}'" : "',' or ']'");
      }
      put(close);
      return;
    }
    case '"':
      copy_string("a value");
      return;
    default: {
      const std::size_t start = at_;
      atom("a value");
      if (out != nullptr) *out += text_.substr(start, at_ - start);
    }
  }
}

std::vector<std::string> first_object_fields(std::string_view bytes) {
  constexpr std::size_t kSniffed = 16384;
  std::vector<std::string> names;
  JsonCursor json("", bytes.substr(0, kSniffed));
  json.accept('[');
  if (json.peek() != '{') return names;
  try {
    json.object([&](std::string_view name) {
      names.emplace_back(name);
      json.skip_value();
    });
  } catch (const InputError&) {
    // Cut off by the limit, or not JSON after all: the names so far are the answer.
  }
  return names;
}

}  // namespace assay::format
