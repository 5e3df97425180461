#include "database/row.hpp"

#include <fmt/format.h>

#include <charconv>

namespace assay::database {

std::optional<std::int64_t> number_in_value(std::string_view value) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size()) return std::nullopt;
  return number;
}

bool passes(const NumberFilter& filter, std::string_view key, std::string_view value) {
  if (!key.starts_with(filter.prefix)) return false;
  const auto number = number_in_value(value);
  return number && *number >= filter.low && *number <= filter.high;
}

std::optional<std::string> end_of_prefix(std::string_view prefix) {
  std::string end(prefix);
  while (!end.empty() && end.back() == '\xff') end.pop_back();
  if (end.empty()) return std::nullopt;
  end.back() = static_cast<char>(static_cast<unsigned char>(end.back()) + 1);
  return end;
}

std::string list_text(std::uint64_t version) {
  return fmt::format("{} ", version);
}

void read_list_text(std::string_view text, std::vector<ListElement>& elements) {
  elements.clear();
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    ListElement element;
    const auto [behind, error] = std::from_chars(at, end, element.version);
    if (error != std::errc() || behind == end || *behind != ' ') {
      throw StoreError(Failure::fatal, "a list holds something that the recorder did not write");
    }
    elements.push_back(element);
    at = behind + 1;
  }
}

std::string with_version(const StoredValue& stored) {
  return fmt::format("{}:{}", stored.version, stored.value);
}

StoredValue without_version(std::string_view text) {
  std::uint64_t version = 0;
  const char* const end = text.data() + text.size();
  const auto [behind, error] = std::from_chars(text.data(), end, version);
  if (error != std::errc() || behind == end || *behind != ':') return {std::string(text), 0};
  return {std::string(behind + 1, end), version};
}

}  // namespace assay::database
