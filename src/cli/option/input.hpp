// The options that say how to read a history, shared by every subcommand that reads one.
#pragma once

#include <optional>
#include <string>

#include "format/format.hpp"
#include "history/history.hpp"

namespace CLI {
class App;
}

namespace assay::cli {

struct InputOptions {
  std::string path;
  std::optional<std::string> format;
  std::string initial = "auto";
  std::string failed_statements = "unknown";
  bool truncated = false;
};

// --format, --initial, --failed-statements, --truncated.
void add_reading_options(CLI::App& command, InputOptions& options);
// The positional argument `name`, and these.
void add_input_options(CLI::App& command, InputOptions& options, const std::string& name);

// Throws UsageError for what does not exist, whatever the path.
void refuse_wrong_reading(const InputOptions& options);
// Throws UsageError or InputError.
History read_input(const InputOptions& options);

}  // namespace assay::cli
