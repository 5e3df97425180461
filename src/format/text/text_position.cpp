#include "format/text/text_position.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "format/text/utf8.hpp"

namespace assay::format {

std::string text_position(std::string_view text, std::size_t offset, std::size_t first_line) {
  const std::string_view before = text.substr(0, offset);
  const auto lines = static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
  const std::size_t newline = before.rfind('\n');
  const std::size_t line_start = newline == std::string_view::npos ? 0 : newline + 1;
  return fmt::format("line {}, column {}", first_line + lines, before.size() - line_start + 1);
}

std::string what_stands_at(std::string_view text, std::size_t offset) {
  constexpr std::size_t kShown = 24;
  if (offset >= text.size()) return "the end of the input";
  std::string shown;
  std::size_t at = offset;
  for (; at < text.size() && shown.size() < kShown && text[at] != '\n' && text[at] != '\r';) {
    const std::size_t length = utf8_length(text, at);
    if (length == 0 || static_cast<unsigned char>(text[at]) < 0x20) {
      if (shown.empty()) return fmt::format("byte 0x{:02x}", static_cast<unsigned char>(text[at]));
      break;
    }
    shown += text.substr(at, length);
    at += length;
  }
  if (shown.empty()) return "the end of the line";
  return "'" + shown + (at < text.size() && shown.size() >= kShown ? "…'" : "'");
}

}  // namespace assay::format
