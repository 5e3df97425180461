#include "audit/tell/difference.hpp"

#include <algorithm>

#include "report/printable.hpp"

namespace assay::audit {

namespace {

constexpr std::size_t kLinesBefore = 2;
constexpr std::size_t kBytesBefore = 60, kBytesAfter = 60;  // of the line around the place

bool inside_character(std::string_view text, std::size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80;
}

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80; }));
}

std::string_view line_at(std::string_view text, std::size_t begin) {
  const std::string_view rest = text.substr(std::min(begin, text.size()));
  return rest.substr(0, rest.find('\n'));
}

// The part of a line that is shown, from `from` on.
std::string window(std::string_view line, std::size_t from, std::size_t at) {
  std::size_t end = std::min(line.size(), at + kBytesAfter);
  while (inside_character(line, end)) ++end;
  std::string shown = from > 0 ? "…" : "";
  shown += report::printable(line.substr(from, end - from));
  if (end < line.size()) shown += "…";
  return shown;
}

}  // namespace

std::optional<Difference> first_difference(std::string_view expected, std::string_view found) {
  if (expected == found) return std::nullopt;
  auto at = static_cast<std::size_t>(
      std::mismatch(expected.begin(), expected.end(), found.begin(), found.end()).first - expected.begin());
  while (at > 0 && (inside_character(expected, at) || inside_character(found, at))) --at;
  const std::string_view same = expected.substr(0, at);
  const std::size_t newline = same.rfind('\n');
  const std::size_t begin = newline == std::string_view::npos ? 0 : newline + 1;
  Difference made;
  made.line = static_cast<std::size_t>(std::count(same.begin(), same.end(), '\n')) + 1;
  made.column = at - begin + 1;
  std::size_t end = begin;
  for (std::size_t n = 0; n < kLinesBefore && end > 0; ++n) {
    const std::size_t break_before = end >= 2 ? same.rfind('\n', end - 2) : std::string_view::npos;
    const std::size_t from = break_before == std::string_view::npos ? 0 : break_before + 1;
    made.before.insert(made.before.begin(),
                       report::cut(report::printable(same.substr(from, end - 1 - from)), 2 * kBytesBefore));
    end = from;
  }
  const std::size_t column = at - begin;
  std::size_t from = column > kBytesBefore ? column - kBytesBefore : 0;
  const std::string_view line = line_at(expected, begin);
  while (from < column && inside_character(line, from)) ++from;
  made.expected = window(line, from, column);
  made.found = window(line_at(found, begin), from, column);
  made.mark = characters(report::printable(line.substr(from, column - from))) + (from > 0 ? 1 : 0);
  return made;
}

}  // namespace assay::audit
