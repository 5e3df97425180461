#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "cli/check/asked.hpp"
#include "cli/check/one.hpp"
#include "cli/check/several.hpp"
#include "cli/command.hpp"
#include "cli/option/locale.hpp"
#include "cli/option/output.hpp"
#include "report/junit.hpp"
#include "report/report.hpp"

namespace assay::cli {

namespace {

using evidence::Examination;

// What goes to standard output.
std::string output_of(const CheckOptions& options, const Examination& found) {
  std::string out = options.annotate ? report::annotations(found) : "";
  if (options.json) {
    out += report::json(found);
  } else if (!options.quiet) {
    out += in_locale(report::text(found, {colour_on_output(), options.stats, options.all}));
  }
  return out;
}

Exit run_check(CheckOptions& options) {
  if (options.several || options.histories.size() > 1) return check_several(options);
  options.input.path = options.histories.front();
  return check_one(options, {.output = [&](const Examination& found) { return output_of(options, found); },
                             .explain = what_to_explain(options),
                             .progress = !options.quiet});
}

}  // namespace

void add_check(CLI::App& root, Action& chosen_action) {
  CLI::App* command = root.add_subcommand("check", "Decide whether histories satisfy isolation levels");
  auto options = std::make_shared<CheckOptions>();
  add_check_options(*command, *options);
  command->footer(
      "Exit code: 0 every asked level holds, 1 some is violated, 2 undecided, 3 bad input or\n"
      "command line, 4 a defect of Assay.\n"
      "\n"
      "Several histories are told in a line each; each is a history of its own, checked in a process of\n"
      "its own. Limits count for each; --report, --dot and --certificate name a folder. The exit code is 1\n"
      "if one is violated, else the worst of the others. For one history in several files name their\n"
      "directory, where its format is one, or use 'assay watch --until-end'.\n"
      "\n"
      "Examples:\n"
      "  assay check run.jsonl                      is it serializable?\n"
      "  assay check run.jsonl --level si,causal    two levels at once\n"
      "  assay check cobra-logs/ --all              which levels hold?\n"
      "  assay check run.edn --json --timeout 60    for a script\n"
      "  assay check run.edn --report run.html      a page that shows what went wrong\n"
      "  assay check store/*/history.edn -j 0       many histories, as many at a time as there are cores");
  command->callback([options, &chosen_action] { chosen_action = [options] { return run_check(*options); }; });
}

}  // namespace assay::cli
