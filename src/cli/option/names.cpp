#include "cli/option/names.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>

#include "cli/command.hpp"
#include "cli/option/suggest.hpp"

namespace assay::cli {

std::vector<std::string> level_names() {
  std::vector<std::string> names;
  for (const LevelInfo& level : levels()) names.emplace_back(level.name);
  return names;
}

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const format::Format& format : format::formats()) names.emplace_back(format.name);
  return names;
}

Level level_named(std::string_view name) {
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) {
    if (c == '_' || c == ' ') return '-';
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  if (const auto level = find_level(lower)) return *level;
  std::vector<std::string> known = level_names();
  const std::string canonical = fmt::format("{}", fmt::join(known, ", "));
  for (const LevelInfo& level : levels())
    known.insert(known.end(), level.aliases.begin(), level.aliases.end());
  throw UsageError(
      fmt::format("unknown level '{}'{}; the levels are {}", name, suggestion(lower, known), canonical));
}

const format::Format& format_named(std::string_view name) {
  if (const format::Format* format = format::find_format(name)) return *format;
  const std::vector<std::string> known = format_names();
  throw UsageError(fmt::format("unknown format '{}'{}; the formats are {}", name, suggestion(name, known),
                               fmt::join(known, ", ")));
}

std::chrono::nanoseconds duration_of(const std::string& text) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  const std::string_view unit(rest, static_cast<std::size_t>(end - rest));
  double factor = 0;
  if (unit == "ns") factor = 1;
  if (unit == "us" || unit == "µs") factor = 1e3;
  if (unit == "ms") factor = 1e6;
  if (unit == "s") factor = 1e9;
  if (unit == "m" || unit == "min") factor = 60e9;
  if (unit == "h") factor = 3600e9;
  const bool bare_zero = unit.empty() && number == 0;
  constexpr double kMost = 9e18;  // nanoseconds that fit a signed 64-bit number
  if (error != std::errc{} || (factor == 0 && !bare_zero) || !(number >= 0) || number * factor > kMost) {
    throw UsageError(fmt::format(
        "'{}' is not a duration; write a number and a unit, like 250ms (ns, us, ms, s, m or h)", text));
  }
  return std::chrono::nanoseconds(std::llround(number * factor));
}

CLI::Option* in_seconds(CLI::Option* option) {
  const auto change = [](std::string& text) -> std::string {
    const bool bare = text.find_first_not_of("+-.0123456789eE") == std::string::npos;
    if (bare) return "";  // seconds; what is no number is told where it is read
    try {
      text = fmt::format("{}", static_cast<double>(duration_of(text).count()) / 1e9);
      return "";
    } catch (const UsageError& error) {
      return error.what();
    }
  };
  return option->transform(CLI::Validator(change, "", "duration"))->type_name("DURATION");
}

}  // namespace assay::cli
