// A scanner over text: numbers and single characters, with the line of an error counted only when there is
// one.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "system/input_error.hpp"

namespace assay::format {

class Scanner {
 public:
  Scanner(const std::string& path, std::string_view text)
      : path_(&path), begin_(text.data()), at_(text.data()), end_(text.data() + text.size()) {}

  bool done() const { return at_ == end_; }
  // The next character; '\0' at the end.
  char peek() const { return at_ == end_ ? '\0' : *at_; }
  void skip() { ++at_; }
  const char* where() const { return at_; }

  void expect(char c, std::string_view what) {
    if (at_ == end_ || *at_ != c) [[unlikely]] {
      fail(at_, what);
    }
    ++at_;
  }

  std::uint64_t number(std::string_view what) {
    const char* const start = at_;
    std::uint64_t n = 0;
    while (at_ != end_ && static_cast<unsigned char>(*at_ - '0') < 10) {
      const auto digit = static_cast<std::uint64_t>(*at_ - '0');
      // Nineteen digits always fit; beyond, each step is checked.
      if (at_ - start >= 19 && n > (UINT64_MAX - digit) / 10) fail(start, what, " below 2^64");
      n = n * 10 + digit;
      ++at_;
    }
    if (at_ == start) fail(at_, what);
    return n;
  }

  std::uint64_t line_of(const char* at) const {
    return 1 + static_cast<std::uint64_t>(std::count(begin_, at, '\n'));
  }

  // What was expected at `at`, and what stands there.
  [[noreturn]] void fail(const char* at, std::string_view expected, std::string_view more = "") const {
    const char* line = at;
    while (line != begin_ && line[-1] != '\n') --line;
    const char* const stop = std::find(at, std::min(end_, at + 32), '\n');
    const std::string found =
        at == end_   ? "the end of the file"
        : stop == at ? "the end of the line"
                     : fmt::format("\"{}\"", std::string_view(at, static_cast<std::size_t>(stop - at)));
    throw InputError(*path_, fmt::format("line {}, column {}", line_of(at), at - line + 1),
                     fmt::format("expected {}{}, found {}", expected, more, found));
  }

 private:
  const std::string* path_;
  const char* begin_;
  const char* at_;
  const char* end_;
};

}  // namespace assay::format
