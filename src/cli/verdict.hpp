// Deciding for the command line: limits in a user's units, running out of memory as an honest answer, and the
// exit code that outcomes come to.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "check/check.hpp"
#include "cli/command.hpp"

namespace assay::cli {

struct LimitOptions {
  std::optional<double> timeout;  // seconds
  std::optional<double> memory;   // MB
  unsigned threads = 1;           // 0: one per core
};

// --timeout, --memory, --threads.
void add_limit_options(CLI::App& command, LimitOptions& options);
// Throws UsageError.
check::Options limits(const LimitOptions& options);

std::vector<check::Outcome> all_undecided(std::span<const Level> levels, const std::string& reason);

// As check::check(), but out of memory is undecided.
std::vector<check::Outcome> decide(const History& history, std::span<const Level> levels,
                                   const check::Options& options);

Exit exit_code(std::span<const check::Outcome> outcomes);

}  // namespace assay::cli
