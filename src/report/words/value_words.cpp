#include "report/words/value_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "report/printable.hpp"

namespace assay::report {

namespace {

// In a history of somebody else an "@" means nothing.
bool is_recorded(const History& history) {
  return std::any_of(history.notes().begin(), history.notes().end(),
                     [](const std::string& note) { return note.starts_with("recorded by "); });
}

}  // namespace

std::string value_told(const History& history, Version version) {
  const Atom value = history.value(version);
  const std::size_t at = value.kind == AtomKind::text ? value.text.rfind('@') : std::string_view::npos;
  if (at == std::string_view::npos || !is_recorded(history)) return printable(value);
  const std::string_view number = value.text.substr(at + 1);
  if (number.empty() || number.find_first_not_of("0123456789") != std::string_view::npos)
    return printable(value);
  return fmt::format("{} (version {})", printable(Atom::string(value.text.substr(0, at))), number);
}

}  // namespace assay::report
