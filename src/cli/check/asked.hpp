// What `assay check` was asked for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "check/options.hpp"
#include "cli/option/input.hpp"
#include "cli/verdict.hpp"
#include "evidence/examine.hpp"
#include "level/level.hpp"

namespace CLI {
class App;
}

namespace assay::cli {

struct CheckOptions {
  std::vector<std::string> histories;
  bool several = false;  // told as several, however many there are
  InputOptions input;    // of the one that is being checked
  std::vector<std::string> levels;
  bool all = false;
  std::string sessions = "keep";
  std::optional<std::string> clock_drift;
  std::string method = "auto";
  bool json = false;
  bool stats = false;
  std::optional<std::string> report, dot, junit;
  bool annotate = false;
  LimitOptions limits;
  bool quiet = false;
  std::optional<std::string> certificate;
  std::optional<std::string> tenants;
  std::uint64_t require_committed = 0;
};

void add_check_options(CLI::App& command, CheckOptions& options);

// These throw UsageError for what does not exist.
std::vector<Level> asked_levels(const CheckOptions& options);
check::Options settings_of(const CheckOptions& options);

// How much of a violation must be explained for all that is to be written.
evidence::Explain what_to_explain(const CheckOptions& options);

}  // namespace assay::cli
