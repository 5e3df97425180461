// A reader of EDN (https://github.com/edn-format/edn): the notation of Clojure data, in which Jepsen writes
// histories. Tags are dropped and their form kept, comments and discarded forms are skipped.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>

#include "format/jepsen/form.hpp"

namespace assay::format {

class EdnReader {
 public:
  // Both are borrowed.
  EdnReader(std::string_view path, std::string_view bytes) : path_(path), text_(bytes) {}

  bool at_end();
  // Whether a form starts, or the one around it ends, with this character.
  bool at(char c) { return !at_end() && text_[at_] == c; }
  // Steps over one character that at() found: the brackets of a form too large to be read as one tree.
  void step() { ++at_; }
  // Reads one form. Texts stay valid as long as the reader.
  void read(Forms& forms);

  std::size_t offset() const { return at_; }
  [[noreturn]] void fail_expected(const char* what) const;
  [[noreturn]] void fail_at(std::size_t offset, const std::string& message) const;

 private:
  static constexpr int kMostDepth = 128;
  static constexpr std::size_t kMostNodes = std::size_t{1}
                                            << 24;  // in one form: bounds memory, and an id fits

  void skip_space(int depth);
  void form(Forms& forms, int depth);
  void children(Forms& forms, std::uint32_t node, char close, int depth);
  void string(Form& form);
  void token(Form& form);
  void number(Form& form, std::string_view spelled) const;
  std::string_view take_token();

  std::string_view path_;
  std::string_view text_;
  std::size_t at_ = 0;
  std::deque<std::string> kept_;  // strings that have escapes
  Forms discarded_;
};

}  // namespace assay::format
