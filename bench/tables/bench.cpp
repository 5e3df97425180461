#include "bench.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace assay::tables {

namespace {

constexpr double kShort = 2;  // seconds; what is shorter runs again
constexpr int kRuns = 5;

Checked check_once(const std::vector<std::string>& command) {
  Checked checked;
  checked.cost = run(command);
  if (checked.cost.exit_code < 0 || checked.cost.exit_code > 2) {
    throw std::runtime_error(
        fmt::format("{} ended with code {}", fmt::join(command, " "), checked.cost.exit_code));
  }
  const auto json = nlohmann::json::parse(checked.cost.out);
  const auto& result = json.at("results").at(0);
  checked.verdict = result.at("verdict");
  checked.method = result.value("method", "");
  checked.transactions = json.at("history").at("transactions");
  checked.operations = json.at("history").at("operations");
  const auto& levels = json.at("stats").at("levels");
  if (!levels.empty() && levels[0].contains("counts"))
    checked.conflicts = levels[0]["counts"].value("conflicts", 0U);
  return checked;
}

void must_end_well(const std::vector<std::string>& command) {
  const Ran ran = run(command);
  if (ran.exit_code != 0) {
    throw std::runtime_error(fmt::format("{} ended with code {}", fmt::join(command, " "), ran.exit_code));
  }
}

std::string against(double value, const std::optional<double>& bar, const char* format, int& missed) {
  std::string text = fmt::format(fmt::runtime(format), value);
  if (bar) {
    text += fmt::format(" (≤ {:.4g})", *bar);
    missed += value > *bar ? 1 : 0;
  }
  return text;
}

}  // namespace

std::string Bench::generate(const std::string& name, const std::vector<std::string>& options) const {
  const std::string path = folder.file(name);
  if (std::filesystem::exists(path)) return path;
  std::vector<std::string> command{assay, "generate", "--quiet", "--to", "packed", "-o", path};
  command.insert(command.end(), options.begin(), options.end());
  must_end_well(command);
  return path;
}

std::string Bench::pack(const std::string& name, const std::string& path) const {
  const std::string packed = folder.file(name);
  must_end_well({assay, "convert", path, packed, "--to", "packed", "--failed-statements=drop"});
  return packed;
}

Checked check(const Bench& bench, const std::string& path, const std::string& level,
              const std::vector<std::string>& options) {
  std::vector<std::string> command{bench.assay, "check",   path,     "--level",
                                   level,       "--quiet", "--json", "--stats"};
  command.insert(command.end(), options.begin(), options.end());
  Checked best = check_once(command);
  for (int again = 1; again < kRuns && best.cost.cpu_seconds < kShort; ++again) {
    Checked next = check_once(command);
    if (next.cost.cpu_seconds < best.cost.cpu_seconds) best = std::move(next);
  }
  return best;
}

Table::Table(const std::string& title) {
  fmt::print("\n### {}\n\n", title);
  fmt::print("| history | CPU s | peak MB | bytes/op | growth | verdict | method | |\n");
  fmt::print("|---|---|---|---|---|---|---|---|\n");
  std::fflush(stdout);
}

void Table::row(const std::string& name, const Checked& checked, const Bar& bar,
                const std::optional<Checked>& smaller) {
  int missed = 0;
  const std::string cpu = against(checked.cost.cpu_seconds, bar.cpu_seconds, "{:.3f}", missed);
  const std::string peak =
      against(static_cast<double>(checked.cost.peak_bytes) / 1e6, bar.megabytes, "{:.1f}", missed);
  const std::string growth =
      smaller ? against(checked.cost.cpu_seconds / smaller->cost.cpu_seconds, bar.growth, "×{:.1f}", missed)
              : "";
  const bool right = bar.verdict.empty() ? checked.verdict != "undecided" : checked.verdict == bar.verdict;
  missed += right ? 0 : 1;
  fmt::print("| {} | {} | {} | {:.0f} | {} | {}{} | {} | {} |\n", name, cpu, peak,
             static_cast<double>(checked.cost.peak_bytes) / static_cast<double>(checked.operations), growth,
             checked.verdict, right || bar.verdict.empty() ? "" : fmt::format(" (not {})", bar.verdict),
             checked.method, missed == 0 ? "" : "**misses**");
  std::fflush(stdout);
  misses_ += missed == 0 ? 0 : 1;
}

void Table::note(const std::string& text) {
  fmt::print("| {} | | | | | | | |\n", text);
  std::fflush(stdout);
}

}  // namespace assay::tables
