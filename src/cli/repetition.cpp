#include "cli/repetition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace assay::cli {

Repetition::Next Repetition::next(const std::string& kind, Clock::time_point now) {
  Kind& known = kinds_[kind];
  Next next;
  next.of_its_kind = ++known.count;
  next.in_full = known.count <= in_full_;
  next.alert = !known.alerted || now - *known.alerted >= between_alerts_;
  if (next.alert) known.alerted = now;
  return next;
}

std::map<std::string, std::uint64_t> Repetition::counts() const {
  std::map<std::string, std::uint64_t> out;
  for (const auto& [name, kind] : kinds_) out.emplace(name, kind.count);
  return out;
}

std::string Repetition::told() const {
  std::vector<std::pair<std::string, std::uint64_t>> sorted;
  for (const auto& [name, kind] : kinds_) sorted.emplace_back(name, kind.count);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string out;
  for (const auto& [name, count] : sorted)
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", count, name);
  return out;
}

}  // namespace assay::cli
