#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>

#include "cli/command.hpp"
#include "cli/option/output.hpp"
#include "level/level.hpp"

namespace assay::cli {

namespace {

Exit run_levels() {
  std::string out;
  for (const LevelInfo& level : levels()) {
    out += fmt::format("{} ({})\n    {}\n", level.name, fmt::join(level.aliases, ", "), level.promise);
    if (!level.implies.empty()) {
      std::vector<std::string_view> weaker;
      for (const Level l : level.implies) weaker.push_back(info(l).name);
      out += fmt::format("    implies: {}\n", fmt::join(weaker, ", "));
    }
    if (level.real_time) out += "    needs start and end times\n";
    out += fmt::format("    {}\n", level.source);
  }
  print(out);
  return Exit::holds;
}

}  // namespace

void add_levels(CLI::App& root, Action& chosen_action) {
  CLI::App* command = root.add_subcommand("levels", "List the isolation levels and what each promises");
  command->footer(
      "Weaker levels come first; 'implies' names the next weaker ones.\n"
      "\n"
      "Examples:\n"
      "  assay levels\n"
      "  assay check run.jsonl --level snapshot-isolation    any of the names, or an alias: si");
  command->callback([&chosen_action] { chosen_action = run_levels; });
}

}  // namespace assay::cli
