#include <CLI/CLI.hpp>
#include <memory>

#include "cli/command.hpp"
#include "cli/option/guard.hpp"
#include "cli/option/input.hpp"
#include "cli/option/output.hpp"
#include "cli/option/progress.hpp"
#include "cli/verdict.hpp"
#include "report/report.hpp"

namespace assay::cli {

namespace {

struct StatsOptions {
  InputOptions input;
  LimitOptions limits;
  bool json = false;
};

Exit run_stats(const StatsOptions& options) {
  const check::Options settings = limits(options.limits);
  std::optional<Guard> guard(std::in_place, std::nullopt, settings.memory_bytes,
                             Guard::giving_up(settings.memory_bytes));
  std::optional<Progress> progress(std::in_place, true, "reading");
  const History history = read_input(options.input);
  progress->phase("counting");
  const report::Statistics statistics = report::summarise(history);
  progress.reset();
  guard.reset();
  print(options.json ? report::json(history, statistics) : report::text(history, statistics));
  return Exit::holds;
}

}  // namespace

void add_stats(CLI::App& root, Action& chosen_action) {
  CLI::App* command = root.add_subcommand("stats", "Describe a history in numbers");
  auto options = std::make_shared<StatsOptions>();
  add_input_options(*command, options->input, "HISTORY");
  command->add_flag("--json", options->json, "Print one JSON object");
  add_memory_option(*command, options->limits);
  command->footer(
      "Exit code: 0 done, 2 gave up for want of memory, 3 bad input or command line, 4 a defect of Assay.\n"
      "\n"
      "Examples:\n"
      "  assay stats run.jsonl\n"
      "  assay stats cobra-logs/ --json | jq .statistics.hot_keys");
  command->callback([options, &chosen_action] { chosen_action = [options] { return run_stats(*options); }; });
}

}  // namespace assay::cli
