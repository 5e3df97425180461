#include "cli/verdict.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <string>
#include <thread>

#include "cli/option/names.hpp"

namespace assay::cli {

using check::Outcome;
using check::Verdict;

namespace {

double positive(double value, const char* option) {
  if (!(value > 0) || !std::isfinite(value))
    throw UsageError(std::string(option) + " must be a number above 0");
  return value;
}

}  // namespace

void add_memory_option(CLI::App& command, LimitOptions& options) {
  command.add_option("--memory", options.memory, "Give up, undecided, when the process takes more than this")
      ->type_name("MB");
}

void add_time_and_memory_options(CLI::App& command, LimitOptions& options) {
  in_seconds(command.add_option("--timeout", options.timeout,
                                "Give up, undecided, after this long: 90, 90s or 1.5m"));
  add_memory_option(command, options);
}

void add_limit_options(CLI::App& command, LimitOptions& options) {
  add_time_and_memory_options(command, options);
  command.add_option("-j,--threads", options.threads, "How many threads may work; 0: one per core")
      ->type_name("N")
      ->capture_default_str();
}

void add_require_committed(CLI::App& command, std::uint64_t& required) {
  command
      .add_option("--require-committed", required,
                  "Undecided, exit code 2, instead of holds if fewer transactions committed than this")
      ->check(CLI::NonNegativeNumber)
      ->type_name("N");
}

check::Options limits(const LimitOptions& options) {
  check::Options limits;
  if (options.timeout) limits.timeout_seconds = positive(*options.timeout, "--timeout");
  constexpr double kMostMegabytes = 1e12;
  if (options.memory) {
    limits.memory_bytes =
        static_cast<std::size_t>(std::min(positive(*options.memory, "--memory"), kMostMegabytes) * 1e6);
  }
  limits.threads = options.threads != 0 ? options.threads : std::max(1U, std::thread::hardware_concurrency());
  return limits;
}

Exit exit_code(std::span<const Outcome> outcomes) {
  const auto any = [&](Verdict verdict) {
    return std::any_of(outcomes.begin(), outcomes.end(),
                       [&](const Outcome& o) { return o.verdict == verdict; });
  };
  if (any(Verdict::violated)) return Exit::violated;
  return any(Verdict::undecided) ? Exit::undecided : Exit::holds;
}

}  // namespace assay::cli
