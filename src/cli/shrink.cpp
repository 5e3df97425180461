#include "evidence/shrink.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <memory>
#include <optional>

#include "cli/command.hpp"
#include "cli/option/destination.hpp"
#include "cli/option/input.hpp"
#include "cli/option/names.hpp"
#include "cli/option/output.hpp"
#include "cli/option/progress.hpp"
#include "evidence/examine.hpp"
#include "history/history.hpp"

namespace assay::cli {

namespace {

struct ShrinkOptions {
  InputOptions input;
  std::string level = "serializable";
  std::string out;
  std::string to = "jsonl";
  bool ignore_sessions = false;
  bool quiet = false;
};

Exit run_shrink(const ShrinkOptions& options) {
  const Level level = level_named(options.level);
  format_named(options.to);
  std::optional<Progress> progress(std::in_place, !options.quiet, "reading");
  const auto history = std::make_shared<const History>(read_input(options.input));
  check::Options settings;
  if (options.ignore_sessions) settings.sessions = check::SessionOrder::ignore;
  progress->phase("checking");
  const std::array<Level, 1> levels{level};
  const evidence::Examination found = evidence::examine(
      history, levels, {.check = settings, .decided = [&](const auto&) { progress->phase("shrinking"); }});
  const check::Outcome& outcome = found.outcomes[0];
  if (outcome.verdict != check::Verdict::violated) {
    progress.reset();
    const bool holds = outcome.verdict == check::Verdict::holds;
    print_error(holds ? fmt::format("{} holds: there is nothing to shrink to", info(level).name)
                      : fmt::format("undecided: {}", outcome.reason));
    return holds ? Exit::holds : Exit::undecided;
  }
  const evidence::Explanation& why = found.explanations[0];
  const std::optional<History> part = evidence::shrink(*history, why, settings);
  if (!part) {
    progress.reset();
    print_error(
        "the violation rests on rows that a query did not return and that several transactions can have "
        "taken "
        "away, which no smaller history can say");
    return Exit::undecided;
  }
  write_output(*part, options.out, options.to);
  progress.reset();
  if (!options.quiet && options.out != "-") {
    print(fmt::format("{}: {} of {} transactions still violate {} ({})\n", options.out,
                      why.counterexample.transactions.size(), history->transactions(), info(level).name,
                      info(why.counterexample.anomaly).title));
  }
  return Exit::violated;
}

}  // namespace

void add_shrink(CLI::App& root, Action& chosen_action) {
  CLI::App* command =
      root.add_subcommand("shrink", "Write the smallest part of a history that still violates a level");
  auto options = std::make_shared<ShrinkOptions>();
  add_input_options(*command, options->input, "HISTORY");
  command->add_option("-l,--level", options->level, "The level that is violated")
      ->type_name("LEVEL")
      ->capture_default_str();
  command->add_option("-o,--output", options->out, "Where to write it; - is standard output")
      ->required()
      ->type_name("PATH");
  command->add_option("-t,--to", options->to, "The format to write (see assay formats)")
      ->type_name("FORMAT")
      ->capture_default_str();
  command->add_flag("--ignore-sessions", options->ignore_sessions, "As check --sessions=ignore");
  command->add_flag("-q,--quiet", options->quiet, "Print no text and no progress");
  command->footer(
      "Keeps the transactions of a minimal counterexample, drops reads of others. What is written violates\n"
      "the level by itself, so it can stand for the whole in a bug report.\n"
      "Exit code: 1 written, 0 the level holds, 2 undecided, 3 bad input or command line.\n"
      "\n"
      "Examples:\n"
      "  assay shrink run.jsonl --level si -o small.jsonl\n"
      "  assay shrink run.edn -o - | less");
  command->callback(
      [options, &chosen_action] { chosen_action = [options] { return run_shrink(*options); }; });
}

}  // namespace assay::cli
