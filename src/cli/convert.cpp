#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string_view>

#include "cli/command.hpp"
#include "cli/option/destination.hpp"
#include "cli/option/guard.hpp"
#include "cli/option/input.hpp"
#include "cli/option/names.hpp"
#include "cli/option/progress.hpp"
#include "cli/verdict.hpp"

namespace assay::cli {

namespace {

struct ConvertOptions {
  InputOptions input;
  LimitOptions limits;
  std::string out;
  std::optional<std::string> to;
  bool quiet = false;
};

// As the name of a file that Assay writes tells it: *.jsonl, *.txt and so on.
std::string format_by_name(const std::string& out) {
  struct Ending {
    std::string_view ending, format;
  };
  constexpr Ending kEndings[] = {{".jsonl", "jsonl"},     {".ndjson", "jsonl"},  {".assay", "packed"},
                                 {".packed", "packed"},   {".bincode", "dbcop"}, {".txt", "text"},
                                 {".json", "dbcop-json"}, {".dsl", "dbcop-dsl"}, {".awdit", "awdit"},
                                 {".edn", "edn"}};
  for (const Ending& each : kEndings) {
    if (out.ends_with(each.ending)) return std::string(each.format);
  }
  throw UsageError(fmt::format("the name '{}' does not tell a format to write; say which: --to FORMAT", out));
}

Exit run_convert(const ConvertOptions& options) {
  const std::string to = options.to ? *options.to : format_by_name(options.out);
  format_named(to);  // before reading, which may take long
  const check::Options settings = limits(options.limits);
  const Guard guard(std::nullopt, settings.memory_bytes, Guard::giving_up(settings.memory_bytes));
  Progress progress(!options.quiet, "reading");
  const History history = read_input(options.input);
  progress.phase("writing");
  write_output(history, options.out, to);
  return Exit::holds;
}

}  // namespace

void add_convert(CLI::App& root, Action& chosen_action) {
  CLI::App* command = root.add_subcommand("convert", "Read a history and write it in another format");
  auto options = std::make_shared<ConvertOptions>();
  add_input_options(*command, options->input, "IN");
  command->add_option("OUT", options->out, "Where to write it; - is standard output")
      ->required()
      ->type_name("PATH");
  command
      ->add_option("-t,--to", options->to,
                   "The format to write (see assay formats); told by the ending of OUT if not given")
      ->type_name("FORMAT");
  command->add_flag("-q,--quiet", options->quiet, "Print no progress");
  add_memory_option(*command, options->limits);
  command->footer(
      "What the target format cannot express is an error, never left out silently.\n"
      "Exit code: 0 done, 2 gave up for want of memory, 3 bad input or command line, 4 a defect of Assay.\n"
      "\n"
      "Examples:\n"
      "  assay convert cobra-logs/ run.jsonl\n"
      "  assay convert run.edn - --to text | less");
  command->callback(
      [options, &chosen_action] { chosen_action = [options] { return run_convert(*options); }; });
}

}  // namespace assay::cli
