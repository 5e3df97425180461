// What a certificate is written in: lines of words, and how it is refused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace assay::verify {

struct Rejected {
  std::string why;
};
inline void require(bool condition, const char* otherwise) {
  if (!condition) throw Rejected{otherwise};
}

std::uint64_t number_in(std::string_view text);
// Sixteen digits.
std::string hexadecimal(std::uint64_t number);

// Lines of words that are separated by single spaces. A line is read to its end before the next.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}

  // A certificate that was cut off or changed by accident is refused before anything else; who repairs the
  // sum has to convince the rest of the verifier.
  void require_whole();

  std::size_t number() const { return number_; }
  bool more_lines() const { return !rest_.empty(); }
  // The head of the next line.
  std::string_view peek() const { return rest_.substr(0, rest_.find_first_of(" \n")); }
  std::string_view whole_line();
  void next(std::string_view head);
  bool more() const { return more_; }
  std::string_view word();
  std::uint64_t number_word() { return number_in(word()); }
  bool either(std::string_view head, std::string_view yes, std::string_view no);
  void end() const { require(!more_ && !more_lines(), "a line or a word too many"); }

 private:
  std::string_view rest_, line_;
  bool more_ = false;  // words in the line
  std::size_t number_ = 0;
};

}  // namespace assay::verify
