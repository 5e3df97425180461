#include "audit/tamper.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "cli/audit/commands.hpp"
#include "cli/audit/tampering.hpp"
#include "cli/option/output.hpp"
#include "cli/option/suggest.hpp"

namespace assay::cli {

namespace {

struct TamperCommand {
  std::optional<std::string> kind, trace, reports, output;
  std::uint64_t seed = 1;
  bool list = false;
};

std::string list_of_lies() {
  std::string out;
  for (const audit::Lie& lie : audit::lies()) {
    out += fmt::format("{:18} {}{}\n", lie.name, lie.description,
                       lie.harmless ? " (groups are advice: still accepted)" : "");
  }
  return out;
}

Exit run_tamper(const TamperCommand& command) {
  if (command.list) {
    print(list_of_lies());
    return Exit::holds;
  }
  if (!command.kind || !command.trace || !command.reports || !command.output)
    throw UsageError("KIND, TRACE, REPORTS and -o are needed, or --list");
  const audit::Lie& lie = lie_named(*command.kind);
  const std::filesystem::path folder = *command.output;
  if (std::filesystem::exists(folder) &&
      !(std::filesystem::is_directory(folder) && std::filesystem::is_empty(folder)))
    throw UsageError(fmt::format("{} is there already", folder.string()));
  const audit::TamperedFiles tampered =
      audit::tamper_files(lie, command.seed, *command.trace, *command.reports, folder);
  print(fmt::format("planted    {}: {}\ntrace      {}\nreports    {}\n", lie.name, lie.description,
                    tampered.trace.string(), tampered.reports.string()));
  return Exit::holds;
}

}  // namespace

const audit::Lie& lie_named(const std::string& name) {
  const audit::Lie* const lie = audit::find_lie(name);
  if (lie != nullptr) return *lie;
  throw UsageError(fmt::format("there is no lie '{}'{}; 'assay audit tamper --list' names them", name,
                               suggestion(name, lie_names())));
}

std::vector<std::string> lie_names() {
  std::vector<std::string> names;
  for (const audit::Lie& lie : audit::lies()) names.emplace_back(lie.name);
  return names;
}

void add_audit_tamper(CLI::App& audit, Action& chosen_action) {
  CLI::App* command =
      audit.add_subcommand("tamper", "Plant one lie in a trace or reports, to see an audit find it");
  auto options = std::make_shared<TamperCommand>();
  command->add_option("KIND", options->kind, "The lie")->type_name("LIE");
  command->add_option("TRACE", options->trace, "A trace")->type_name("FILE");
  command->add_option("REPORTS", options->reports, "Its reports")->type_name("DIR");
  command->add_option("-o,--output", options->output, "Where the changed copies go: DIR/trace, DIR/reports")
      ->type_name("DIR");
  command->add_option("--seed", options->seed, "Where in the files the lie is planted")
      ->type_name("N")
      ->capture_default_str();
  command->add_flag("--list", options->list, "Name the lies and leave");
  command->footer(
      "Exit code: 0 planted, 3 bad input or command line, or there is no place for this lie,\n"
      "4 a defect of Assay.\n"
      "\n"
      "Examples:\n"
      "  assay audit tamper --list\n"
      "  assay audit tamper sql trace reports/ -o lie/");
  command->callback(
      [options, &chosen_action] { chosen_action = [options] { return run_tamper(*options); }; });
}

}  // namespace assay::cli
