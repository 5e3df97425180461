#include "verify/lines.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>

namespace assay::verify {

std::uint64_t number_in(std::string_view text) {
  std::uint64_t value = 0;
  const auto [at, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  require(error == std::errc{} && at == text.data() + text.size(), "a number was expected");
  require(text.size() == 1 || text.front() != '0', "a number with a leading zero");
  return value;
}

std::string hexadecimal(std::uint64_t number) {
  std::string digits(16, '0');
  for (std::size_t i = 16; i-- > 0; number >>= 4) digits[i] = "0123456789abcdef"[number & 15];
  return digits;
}

void Lines::require_whole() {
  require(rest_.ends_with('\n'), "the last line is incomplete");
  const std::size_t begin = rest_.rfind('\n', rest_.size() - 2) + 1;  // npos + 1 == 0
  const std::string_view body = rest_.substr(0, begin);
  std::uint64_t sum = 0xCBF29CE484222325ULL;  // FNV-1a
  for (const char c : body) sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
  const auto count = std::count(body.begin(), body.end(), '\n');
  require(rest_.substr(begin) == "end " + std::to_string(count) + " " + hexadecimal(sum) + "\n",
          "the certificate was cut off or changed: its last line is wrong");
  rest_ = body;
}

std::string_view Lines::whole_line() {
  require(!more_, "a word too many");
  require(more_lines(), "a line is missing");
  line_ = rest_.substr(0, rest_.find('\n'));
  rest_.remove_prefix(line_.size() + 1);
  ++number_;
  return line_;
}

void Lines::next(std::string_view head) {
  if (peek() != head) throw Rejected{"a line \"" + std::string(head) + "\" was expected"};
  whole_line();
  more_ = true;
  word();
}

std::string_view Lines::word() {
  require(more_, "a word is missing");
  const std::string_view found = line_.substr(0, line_.find(' '));
  require(!found.empty(), "an empty word");
  more_ = found.size() < line_.size();
  line_.remove_prefix(found.size() + (more_ ? 1 : 0));
  return found;
}

bool Lines::either(std::string_view head, std::string_view yes, std::string_view no) {
  next(head);
  const std::string_view found = word();
  require(found == yes || found == no, "an unknown word");
  return found == yes;
}

}  // namespace assay::verify
