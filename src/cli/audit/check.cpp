#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "audit/period/state_folder.hpp"
#include "audit/tell/verdict_json.hpp"
#include "audit/tell/verdict_text.hpp"
#include "audit/trial/parts.hpp"
#include "cli/audit/commands.hpp"
#include "cli/option/destination.hpp"
#include "cli/option/output.hpp"

namespace assay::cli {

namespace {

struct CheckCommand {
  std::string trace, reports, code, ini;
  std::optional<std::string> state, next;
  std::vector<std::string> databases;
  AuditingOptions auditing;
};

audit::InitialState initial_state(const CheckCommand& command) {
  audit::InitialState state;
  if (command.state) state = audit::read_state_folder(*command.state);
  for (const std::string& each : command.databases) {
    const std::size_t equals = each.rfind('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == each.size())
      throw UsageError(fmt::format("--database wants PATH=FILE, not '{}'", each));
    const std::string file = each.substr(equals + 1);
    if (state.carried) throw UsageError("--database does not go with the state that an audit has left");
    if (!std::filesystem::is_regular_file(file)) throw UsageError(fmt::format("there is no file {}", file));
    state.databases[each.substr(0, equals)] = file;
  }
  return state;
}

Exit run_check(const CheckCommand& command) {
  std::optional<NextState> next;
  if (command.next) next.emplace(*command.next);
  if (command.auditing.report) can_be_written(*command.auditing.report);
  audit::PhpAudit what;
  what.trace = command.trace;
  what.reports = command.reports;
  what.code = command.code;
  what.ini = command.ini;
  what.worker = audit::worker_program();
  what.initial = initial_state(command);
  if (next) what.options.next = next->folder();
  const audit::Verdict verdict = audit_with_progress(std::move(what), command.auditing);
  if (next && verdict.decision == audit::Decision::accepted) next->keep();
  write_report(verdict, command.auditing);
  if (command.auditing.json) {
    print(audit::verdict_json(verdict).dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) +
          "\n");
  } else if (!command.auditing.quiet) {
    print(audit::verdict_text(verdict, colour_on_output()));
  }
  return exit_code(verdict);
}

}  // namespace

void add_audit_check(CLI::App& audit, Action& chosen_action) {
  CLI::App* command = audit.add_subcommand(
      "check", "Audit what was recorded: executes every request again and compares the responses");
  auto options = std::make_shared<CheckCommand>();
  command->add_option("TRACE", options->trace, "The file that the collector wrote")
      ->required()
      ->type_name("FILE");
  command->add_option("REPORTS", options->reports, "The folder that the server's recorder wrote")
      ->required()
      ->type_name("DIR");
  command->add_option("--code", options->code, "The application, at the same path as on the server")
      ->required()
      ->type_name("DIR");
  command->add_option("--ini", options->ini, "The server's php.ini, all of its settings in one file")
      ->required()
      ->type_name("FILE");
  command
      ->add_option("--state", options->state,
                   "The databases before the first request: /srv/a.sqlite is DIR/srv/a.sqlite; or what an "
                   "audit before this one has left with --next")
      ->type_name("DIR");
  command
      ->add_option("--next", options->next,
                   "Audit what must have happened by the end of the trace, and leave the state there, for an "
                   "audit that goes on, in this new folder")
      ->type_name("DIR");
  command
      ->add_option("--database", options->databases,
                   "One more of them, by its path on the server; may be repeated")
      ->type_name("PATH=FILE")
      ->allow_extra_args(false);
  add_auditing_options(*command, options->auditing);
  command->footer(
      "A database that is named by neither did not exist before the first request. An audit that goes\n"
      "on takes the trace as it has grown, or one that begins at the cut, and all reports.\n"
      "Exit code: 0 accepted, 1 rejected, 2 undecided, 3 bad input or command line, 4 a defect of\n"
      "Assay.\n"
      "\n"
      "Examples:\n"
      "  assay audit check trace reports/ --code /srv/forum --ini php.ini --state monday/\n"
      "  assay audit check trace reports/ --code /srv/forum --ini php.ini \\\n"
      "      --database /var/lib/forum/forum.sqlite=before.sqlite --json\n"
      "  assay audit check trace reports/ --code /srv/forum --ini php.ini --state monday/ --next tuesday/");
  command->callback([options, &chosen_action] { chosen_action = [options] { return run_check(*options); }; });
}

}  // namespace assay::cli
