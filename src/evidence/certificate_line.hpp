// The words of a certificate's lines, and the way to refuse one.
#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>

namespace assay::evidence {

// Why a line is not accepted.
struct Rejected {
  std::string why;
};
inline void require(bool condition, const char* otherwise) {
  if (!condition) throw Rejected{otherwise};
}

// The words of one line, one after the other.
class Line {
 public:
  explicit Line(std::string_view text) : rest_(text), head_(word()) {}

  std::string_view head() const { return head_; }
  bool more() const { return !ended_; }
  void end() const { require(ended_, "a word too many"); }
  std::string_view word() {
    require(!ended_, "a word is missing");
    const std::size_t end = rest_.find(' ');
    const std::string_view found = rest_.substr(0, end);
    require(!found.empty(), "an empty word");
    ended_ = end == std::string_view::npos;
    if (!ended_) rest_.remove_prefix(end + 1);
    return found;
  }
  std::uint64_t number() { return number_in(word()); }

  static std::uint64_t number_in(std::string_view text) {
    std::uint64_t value = 0;
    const auto [at, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    require(error == std::errc{} && at == text.data() + text.size(), "a number was expected");
    require(text.size() == 1 || text.front() != '0', "a number with a leading zero");
    return value;
  }

 private:
  std::string_view rest_;
  bool ended_ = false;
  std::string_view head_;
};

}  // namespace assay::evidence
