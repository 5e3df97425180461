#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "audit/period/period.hpp"
#include "audit/period/state_folder.hpp"
#include "audit/tell/verdict_json.hpp"
#include "audit/tell/verdict_text.hpp"
#include "audit/trial/parts.hpp"
#include "audit/trial/trial.hpp"
#include "cli/audit/commands.hpp"
#include "cli/audit/tampering.hpp"
#include "cli/option/choice.hpp"
#include "cli/option/destination.hpp"
#include "cli/option/interrupt.hpp"
#include "cli/option/output.hpp"
#include "system/temporary_folder.hpp"

namespace assay::cli {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr Choice<audit::PhpKind> kPhpKinds[] = {{"fpm", audit::PhpKind::fpm}, {"cgi", audit::PhpKind::cgi}};

struct RunCommand {
  std::string app = "forum";
  std::string php = "fpm";
  std::uint64_t requests = 500, seed = 1, periods = 1;
  std::optional<std::uint64_t> clients;
  std::optional<std::string> tamper, output;
  AuditingOptions auditing;
};

// Lies about the order need requests that do not overlap: of those that do, another order may be just as true.
std::uint64_t clients_of(const RunCommand& command) {
  const bool alone = command.tamper && !lie_named(*command.tamper).needs_many_clients;
  return command.clients.value_or(alone ? 1 : 8);
}

// Everything is kept in the folder that was asked for, or in one that vanishes.
class RunFolder {
 public:
  explicit RunFolder(const std::optional<std::string>& asked) {
    if (!asked) {
      temporary_.emplace("assay-audit-run");
      path_ = temporary_->path();
      return;
    }
    path_ = *asked;
    if (fs::exists(path_) && !(fs::is_directory(path_) && fs::is_empty(path_)))
      throw UsageError(fmt::format("{} is there already", path_.string()));
    fs::create_directories(path_);
    path_ = fs::canonical(path_);
  }
  const fs::path& path() const { return path_; }

 private:
  std::optional<system::TemporaryFolder> temporary_;
  fs::path path_;
};

audit::Trial serve(const RunCommand& command, const fs::path& folder) {
  const Interrupt interrupt;
  audit::TrialOptions options;
  options.application = command.app == "forum"       ? audit::forum_application()
                        : command.app == "mediawiki" ? audit::mediawiki_application()
                                                     : fs::path(command.app);
  options.recorder = audit::recorder_extension();
  options.folder = folder;
  options.php = chosen(kPhpKinds, "--php", command.php);
  options.requests = command.requests;
  options.clients = clients_of(command);
  options.seed = command.seed;
  options.stop = &interrupt.asked();
  Progress progress(!command.auditing.quiet, "starting PHP");
  std::optional<Clock::time_point> began;
  options.progress = [&](std::uint64_t done) {
    if (!began) began = Clock::now();
    progress.phase("serving: " + pace(done, command.requests, Clock::now() - *began));
  };
  if (!command.auditing.quiet)
    options.note = [](const std::string& text) {
      wipe_progress();
      print_note(text);
    };
  return audit::run_trial(options);
}

std::string served_text(const audit::Trial& trial, const RunCommand& command) {
  std::string out =
      fmt::format("served     {} requests by {} clients in {:.1f} s, {:.0f}/s\nresponses ", trial.requests,
                  clients_of(command), trial.seconds,
                  trial.seconds > 0 ? static_cast<double>(trial.requests) / trial.seconds : 0.0);
  for (const auto& [status, count] : trial.statuses) out += fmt::format(" {} × {}", count, status);
  return out + "\n";
}

// The object that 'assay audit check --json' prints, and "run".
std::string run_json(const audit::Trial& trial, const RunCommand& command, const audit::Verdict& verdict) {
  nlohmann::ordered_json statuses = nlohmann::ordered_json::object();
  for (const auto& [status, count] : trial.statuses) statuses[std::to_string(status)] = count;
  nlohmann::ordered_json object = audit::verdict_json(verdict);
  object["run"] = {{"application", trial.code.string()}, {"php", command.php},
                   {"clients", clients_of(command)},     {"seed", command.seed},
                   {"requests", trial.requests},         {"periods", command.periods},
                   {"seconds", trial.seconds},           {"statuses", statuses}};
  if (command.tamper) object["run"]["tamper"] = *command.tamper;
  if (command.output) object["run"]["folder"] = *command.output;
  return object.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::string again_text(const audit::PhpAudit& what, const audit::Trial& trial) {
  return fmt::format("\nto audit it again:\n  assay audit check {} {} --code {} --ini {} --state {}\n",
                     what.trace.string(), what.reports.string(), trial.code.string(), trial.ini.string(),
                     trial.state.string());
}

// One audit after the other, each from where the one before has ended; to the first that does not accept.
audit::Verdict audit_in_periods(audit::PhpAudit what, const RunCommand& command, const fs::path& folder) {
  const bool text = !command.auditing.quiet && !command.auditing.json;
  const std::vector<std::size_t> cuts = audit::even_cuts(what.trace.string(), command.periods);
  for (std::size_t k = 0; k < cuts.size(); ++k) {
    NextState next((folder / fmt::format("state-{}", k + 1)).string());
    what.options.next = next.folder();
    what.trace_bytes = cuts[k];
    audit::Verdict verdict = audit_with_progress(what, command.auditing);
    if (text)
      print(fmt::format("period {}   {} requests, {}\n", k + 1, verdict.requests, name(verdict.decision)));
    if (verdict.decision != audit::Decision::accepted) return verdict;
    next.keep();
    what.initial = audit::read_state_folder(folder / fmt::format("state-{}", k + 1));
  }
  what.options.next.clear();
  what.trace_bytes = audit::PhpAudit().trace_bytes;
  return audit_with_progress(what, command.auditing);
}

Exit run_run(const RunCommand& command) {
  const audit::Lie* const lie = command.tamper ? &lie_named(*command.tamper) : nullptr;
  if (command.auditing.report) can_be_written(*command.auditing.report);
  audit::PhpAudit what;
  what.worker = audit::worker_program();
  const RunFolder folder(command.output);
  const audit::Trial trial = serve(command, folder.path());
  const bool text = !command.auditing.quiet && !command.auditing.json;
  if (text) print(served_text(trial, command));
  what.trace = trial.trace;
  what.reports = trial.reports;
  if (lie != nullptr) {
    const auto tampered =
        audit::tamper_files(*lie, command.seed, trial.trace, trial.reports, folder.path() / "tampered");
    what.trace = tampered.trace;
    what.reports = tampered.reports;
    if (text) print(fmt::format("planted    {}: {}\n", lie->name, lie->description));
  }
  flush_output();
  what.code = trial.code;
  what.ini = trial.ini;
  what.initial = audit::read_state_folder(trial.state);
  const audit::Verdict verdict = audit_in_periods(what, command, folder.path());
  write_report(verdict, command.auditing);
  if (command.auditing.json) print(run_json(trial, command, verdict));
  if (text) print(audit::verdict_text(verdict, colour_on_output()));
  if (text && command.output) print(again_text(what, trial));
  return exit_code(verdict);
}

}  // namespace

void add_audit_run(CLI::App& audit, Action& chosen_action) {
  CLI::App* command = audit.add_subcommand(
      "run", "The whole story on this machine: PHP with the recorder, the collector, visitors, the audit");
  auto options = std::make_shared<RunCommand>();
  command
      ->add_option("--app", options->app,
                   "What is served: the forum that comes with Assay, Debian's MediaWiki if its package is "
                   "installed, or a folder with scripts and a workload.json")
      ->type_name("forum|mediawiki|DIR")
      ->capture_default_str();
  command->add_option("--php", options->php, "Which PHP serves")
      ->type_name(words(kPhpKinds))
      ->capture_default_str();
  command->add_option("-n,--requests", options->requests, "How many requests")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{100'000'000}))
      ->type_name("N")
      ->capture_default_str();
  command
      ->add_option(
          "-c,--clients", options->clients,
          "How many visitors at the same time (8; with --tamper mostly 1, for of requests that overlap "
          "another order may be just as true)")
      ->check(CLI::Range(1U, 1000U))
      ->type_name("N");
  command->add_option("--seed", options->seed, "What visitors draw from, and where a lie is planted")
      ->check(CLI::NonNegativeNumber)
      ->type_name("N")
      ->capture_default_str();
  command
      ->add_option("--periods", options->periods,
                   "Audit in so many parts, cut while requests are in flight, each from where the one before "
                   "has ended")
      ->check(CLI::Range(1U, 1000U))
      ->type_name("N")
      ->capture_default_str();
  command
      ->add_option("--tamper", options->tamper, "Plant a lie before the audit; 'assay audit tamper --list'")
      ->type_name("LIE");
  command
      ->add_option("-o,--output", options->output, "Keep trace, reports and first state in this new folder")
      ->type_name("DIR");
  add_auditing_options(*command, options->auditing);
  command->footer(
      "Ctrl-C ends the visits early; what was recorded is still audited.\n"
      "Exit code: that of the audit: 0 accepted, 1 rejected, 2 undecided, 3 bad input or command\n"
      "line, or PHP is missing, 4 a defect of Assay.\n"
      "\n"
      "Examples:\n"
      "  assay audit run                              the forum, 500 requests, 8 clients\n"
      "  assay audit run --tamper operation-hidden    the same with a lie: rejected\n"
      "  assay audit run --requests 5000 -o monday    keep the files");
  command->callback([options, &chosen_action] { chosen_action = [options] { return run_run(*options); }; });
}

}  // namespace assay::cli
