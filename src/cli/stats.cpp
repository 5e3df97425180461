#include <CLI/CLI.hpp>
#include <memory>

#include "cli/command.hpp"
#include "cli/input.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "report/report.hpp"

namespace assay::cli {

namespace {

struct StatsOptions {
  InputOptions input;
  bool json = false;
};

Exit run_stats(const StatsOptions& options) {
  std::optional<Progress> progress(std::in_place, true, "reading");
  const History history = read_input(options.input);
  progress->phase("counting");
  const report::Statistics statistics = report::summarise(history);
  progress.reset();
  print(options.json ? report::json(history, statistics) : report::text(history, statistics));
  return Exit::holds;
}

}  // namespace

void add_stats(CLI::App& root, Action& chosen_action) {
  CLI::App* command = root.add_subcommand("stats", "Describe a history in numbers");
  auto options = std::make_shared<StatsOptions>();
  add_input_options(*command, options->input, "HISTORY");
  command->add_flag("--json", options->json, "Print one JSON object");
  command->footer(
      "Examples:\n"
      "  assay stats run.jsonl\n"
      "  assay stats cobra-logs/ --json | jq .statistics.hot_keys");
  command->callback([options, &chosen_action] { chosen_action = [options] { return run_stats(*options); }; });
}

}  // namespace assay::cli
