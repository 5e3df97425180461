#include "format/jepsen/edn.hpp"

#include <charconv>

#include "format/text/text_position.hpp"
#include "format/text/utf8.hpp"
#include "system/input_error.hpp"

namespace assay::format {

namespace {

bool is_space(char c) {
  return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == ',' || c == '\f' || c == '\v';
}

// Ends a number, symbol or keyword.
bool is_delimiter(char c) {
  return is_space(c) || c == '(' || c == ')' || c == '[' || c == ']' || c == '{' || c == '}' || c == '"' ||
         c == ';';
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool all_digits(std::string_view text) {
  for (const char c : text) {
    if (!is_digit(c)) return false;
  }
  return !text.empty();
}

// Whether JSON would take it for a number with a fraction or an exponent.
bool is_json_float(std::string_view text) {
  std::size_t at = text.starts_with('-') ? 1 : 0;
  const auto digits = [&] {
    const std::size_t start = at;
    while (at < text.size() && is_digit(text[at])) ++at;
    return at - start;
  };
  const bool zero = at < text.size() && text[at] == '0';
  const std::size_t whole = digits();
  if (whole == 0 || (zero && whole > 1)) return false;
  if (at < text.size() && text[at] == '.') {
    ++at;
    if (digits() == 0) return false;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
    if (digits() == 0) return false;
  }
  return at == text.size();
}

}  // namespace

void EdnReader::fail_at(std::size_t offset, const std::string& message) const {
  throw InputError(std::string(path_), text_position(text_, offset), message);
}

void EdnReader::fail_expected(const char* what) const {
  fail_at(at_, std::string("expected ") + what + ", found " + what_stands_at(text_, at_));
}

bool EdnReader::at_end() {
  skip_space(0);
  return at_ == text_.size();
}

void EdnReader::read(Forms& forms) {
  forms.clear();
  form(forms, 0);
}

// White space, comments and discarded forms.
void EdnReader::skip_space(int depth) {
  while (at_ < text_.size()) {
    if (is_space(text_[at_])) {
      ++at_;
    } else if (text_[at_] == ';') {
      const std::size_t newline = text_.find('\n', at_);
      at_ = newline == std::string_view::npos ? text_.size() : newline;
    } else if (text_.substr(at_, 2) == "#_") {
      at_ += 2;
      Forms forms = std::move(discarded_);
      forms.clear();
      form(forms, depth + 1);
      discarded_ = std::move(forms);
    } else {
      return;
    }
  }
}

void EdnReader::form(Forms& forms, int depth) {
  if (depth > kMostDepth) fail_at(at_, "nested more than 128 deep");
  skip_space(depth);
  if (at_ == text_.size()) fail_expected("a form");
  // A tag says what its form stands for (#jepsen.history.Op{...}, #inst "..."); the form is all that is
  // needed.
  if (text_[at_] == '#' && at_ + 1 < text_.size() && text_[at_ + 1] != '{' && text_[at_ + 1] != '#') {
    const char next = text_[at_ + 1];
    if (is_delimiter(next)) fail_expected("a tag or a set");
    ++at_;
    take_token();
    return form(forms, depth + 1);
  }
  if (forms.size() == kMostNodes) fail_at(at_, "one form has more than 16,777,216 parts");
  const auto node = static_cast<std::uint32_t>(forms.size());
  forms.emplace_back().offset = at_;
  switch (text_[at_]) {
    case '(':
    case '[':
      forms[node].kind = FormKind::sequence;
      children(forms, node, text_[at_] == '(' ? ')' : ']', depth);
      break;
    case '{':
      forms[node].kind = FormKind::map;
      children(forms, node, '}', depth);
      break;
    case '"':
      string(forms[node]);
      break;
    case ')':
    case ']':
    case '}':
      fail_expected("a form");
    case '#':
      if (text_.substr(at_, 2) == "#{") {
        ++at_;
        forms[node].kind = FormKind::set;
        children(forms, node, '}', depth);
        break;
      }
      [[fallthrough]];  // ##Inf
    default:
      token(forms[node]);
  }
  forms[node].end = static_cast<std::uint32_t>(forms.size());
}

// The cursor stands at the opening bracket.
void EdnReader::children(Forms& forms, std::uint32_t node, char close, int depth) {
  ++at_;
  std::size_t count = 0;
  while (true) {
    skip_space(depth);
    if (at_ == text_.size()) {
      fail_at(forms[node].offset,
              std::string("this form does not end: expected '") + close + "' before the end of the input");
    }
    if (text_[at_] == close) break;
    form(forms, depth + 1);
    ++count;
  }
  ++at_;
  if (forms[node].kind == FormKind::map && count % 2 != 0) {
    fail_at(forms[node].offset, "a map needs a value for each key");
  }
}

void EdnReader::string(Form& form) {
  form.kind = FormKind::string;
  const std::size_t start = ++at_;
  bool escaped = false;
  for (; at_ < text_.size() && text_[at_] != '"';) {
    if (text_[at_] == '\\') {
      escaped = true;
      at_ += 2;
      continue;
    }
    const std::size_t length = utf8_length(text_, at_);
    if (length == 0) fail_at(at_, "a string must be UTF-8, found " + what_stands_at(text_, at_));
    at_ += length;
  }
  if (at_ >= text_.size()) fail_at(form.offset, "the string does not end");
  const std::string_view raw = text_.substr(start, at_ - start);
  ++at_;
  form.text = raw;
  if (!escaped) return;

  std::string& out = kept_.emplace_back();
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] != '\\') {
      out += raw[i];
      continue;
    }
    switch (raw[++i]) {
      case 't':
        out += '\t';
        break;
      case 'r':
        out += '\r';
        break;
      case 'n':
        out += '\n';
        break;
      case 'b':
        out += '\b';
        break;
      case 'f':
        out += '\f';
        break;
      case '\\':
        out += '\\';
        break;
      case '"':
        out += '"';
        break;
      case 'u': {
        std::uint32_t code = 0;
        const char* first = raw.data() + i + 1;
        if (raw.size() - i - 1 < 4 || std::from_chars(first, first + 4, code, 16).ptr != first + 4) {
          fail_at(start + i - 1, "expected four hexadecimal digits after \\u");
        }
        if (code >= 0xD800 && code <= 0xDFFF)
          fail_at(start + i - 1, "half a surrogate pair is not a character");
        append_utf8(out, code);
        i += 4;
        break;
      }
      default:
        fail_at(start + i - 1, "expected an escape sequence, found " + what_stands_at(raw, i - 1));
    }
  }
  form.text = out;
}

std::string_view EdnReader::take_token() {
  const std::size_t start = at_;
  while (at_ < text_.size() && !is_delimiter(text_[at_])) {
    const std::size_t length = utf8_length(text_, at_);
    if (length == 0 || static_cast<unsigned char>(text_[at_]) < 0x20) {
      fail_at(at_, "expected a form, found " + what_stands_at(text_, at_));
    }
    at_ += length;
  }
  return text_.substr(start, at_ - start);
}

void EdnReader::token(Form& form) {
  if (text_[at_] == '\\') {  // a character: the one after the backslash may be a delimiter
    ++at_;
    const std::size_t length = at_ < text_.size() ? utf8_length(text_, at_) : 0;
    if (length == 0) fail_expected("a character");
    at_ += length;
    take_token();
    form.kind = FormKind::opaque;
    return;
  }
  const std::string_view spelled = take_token();
  form.text = spelled;
  if (spelled == "nil") {
    form.kind = FormKind::nil;
  } else if (spelled == "true" || spelled == "false") {
    form.kind = FormKind::other;
  } else if (spelled[0] == ':') {
    if (spelled.size() == 1) fail_at(form.offset, "expected a keyword after ':'");
    form.kind = FormKind::keyword;
  } else if (is_digit(spelled[0]) ||
             ((spelled[0] == '-' || spelled[0] == '+') && spelled.size() > 1 && is_digit(spelled[1]))) {
    number(form, spelled);
  } else {
    form.kind = FormKind::opaque;
  }
}

void EdnReader::number(Form& form, std::string_view spelled) const {
  if (spelled[0] == '+') spelled.remove_prefix(1);
  std::string_view digits = spelled;
  if (digits.ends_with('N')) digits.remove_suffix(1);
  const std::string_view magnitude = digits.starts_with('-') ? digits.substr(1) : digits;
  if (all_digits(magnitude)) {
    if (magnitude.size() > 1 && magnitude[0] == '0') fail_at(form.offset, "a number must not start with 0");
    const char* first = digits.data();
    const char* last = first + digits.size();
    std::int64_t integer = 0;
    std::uint64_t natural = 0;
    if (std::from_chars(first, last, integer).ec == std::errc{}) {
      form.kind = FormKind::integer;
      form.bits = static_cast<std::uint64_t>(integer);
    } else if (*first != '-' && std::from_chars(first, last, natural).ec == std::errc{}) {
      form.kind = FormKind::natural;
      form.bits = natural;
    } else {
      form.kind = FormKind::other;
      form.text = digits;
    }
    return;
  }
  std::string_view decimal = spelled;
  if (decimal.ends_with('M')) decimal.remove_suffix(1);
  const std::size_t slash = spelled.find('/');
  if (is_json_float(decimal)) {
    form.kind = FormKind::other;
    form.text = decimal;
  } else if (slash != std::string_view::npos && all_digits(spelled.substr(slash + 1))) {
    form.kind = FormKind::opaque;
  } else {
    fail_at(form.offset, "expected a number, found " + what_stands_at(text_, form.offset));
  }
}

}  // namespace assay::format
