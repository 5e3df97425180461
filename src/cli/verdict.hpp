// Verdicts for the command line: limits in a user's units, and the exit code that outcomes come to.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "check/options.hpp"
#include "check/outcome.hpp"
#include "cli/command.hpp"

namespace assay::cli {

struct LimitOptions {
  std::optional<double> timeout;  // seconds
  std::optional<double> memory;   // MB
  unsigned threads = 1;           // 0: one per core
};

// --memory.
void add_memory_option(CLI::App& command, LimitOptions& options);
// --timeout, --memory.
void add_time_and_memory_options(CLI::App& command, LimitOptions& options);
// And --threads.
void add_limit_options(CLI::App& command, LimitOptions& options);
// --require-committed.
void add_require_committed(CLI::App& command, std::uint64_t& required);
// Throws UsageError.
check::Options limits(const LimitOptions& options);

Exit exit_code(std::span<const check::Outcome> outcomes);

}  // namespace assay::cli
