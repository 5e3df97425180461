// assay audit: is a web server's every response what its program gives?
#include "audit/audit.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "audit/tell/verdict_page.hpp"
#include "cli/audit/commands.hpp"
#include "cli/option/destination.hpp"
#include "cli/option/names.hpp"
#include "cli/option/output.hpp"

namespace assay::cli {

void add_auditing_options(CLI::App& command, AuditingOptions& options) {
  command.add_option("-j,--workers", options.workers, "How many PHP processes execute requests again")
      ->check(CLI::Range(1U, 256U))
      ->type_name("N")
      ->capture_default_str();
  command
      .add_option(
          "--batch", options.batch,
          "Unfinished: run up to N requests that took the same path as one, where that is known to be "
          "right, and singly where it is not")
      ->check(CLI::Range(2U, 1024U))
      ->type_name("N");
  command
      .add_option("--seconds", options.seconds,
                  "How long one request may take to be executed again; then the audit is undecided")
      ->check(CLI::Range(1U, 86400U))
      ->type_name("N")
      ->capture_default_str();
  command
      .add_option("--clock-drift", options.clock_drift,
                  "By how much the clocks of collector and server may disagree")
      ->type_name("DURATION")
      ->capture_default_str();
  command.add_option("--report", options.report, "Write the verdict as one self-contained web page")
      ->type_name("FILE.html");
  command.add_flag("--json", options.json, "Print one JSON object instead of text");
  command.add_flag("-q,--quiet", options.quiet, "Print no text and no progress: the exit code tells");
}

std::string pace(std::uint64_t done, std::uint64_t total, std::chrono::steady_clock::duration elapsed) {
  std::string text = fmt::format("{} of {} requests", done, total);
  const double seconds = std::chrono::duration<double>(elapsed).count();
  if (done == 0 || seconds <= 0) return text;
  const double rate = static_cast<double>(done) / seconds;
  return text + fmt::format(", {:.0f}/s, {:.0f} s left", rate, static_cast<double>(total - done) / rate);
}

audit::Verdict audit_with_progress(audit::PhpAudit what, const AuditingOptions& options) {
  using Part = audit::AuditProgress::Part;
  using Clock = std::chrono::steady_clock;
  what.workers = options.workers;
  what.lanes = options.batch;
  what.seconds_per_request = options.seconds;
  what.options.clock_tolerance = duration_of(options.clock_drift);
  Progress progress(!options.quiet, "reading");
  Clock::time_point began = Clock::now();
  Part part = Part::reading;
  what.options.progress = [&](const audit::AuditProgress& at) {
    if (at.part != part) began = Clock::now();
    part = at.part;
    switch (part) {
      case Part::reading:
        return progress.phase("reading");
      case Part::ordering:
        return progress.phase("ordering");
      case Part::redo:
        return progress.phase("redoing operations");
      case Part::rerun:
        return progress.phase("executing again: " + pace(at.done, at.total, Clock::now() - began));
    }
  };
  return audit::audit_php(what);
}

NextState::NextState(const std::string& place) : place_(std::filesystem::absolute(place)) {
  if (!place_.has_filename()) place_ = place_.parent_path();  // it was given with a slash at its end
  if (std::filesystem::exists(place_)) throw UsageError(fmt::format("{} is there already", place));
  if (!std::filesystem::is_directory(place_.parent_path()))
    throw UsageError(fmt::format("there is no folder {}", place_.parent_path().string()));
  written_.emplace(place_.parent_path(), place_.filename().string());
}

void NextState::keep() {
  std::filesystem::rename(written_->path(), place_);
}

void write_report(const audit::Verdict& verdict, const AuditingOptions& options) {
  if (options.report) write_text(audit::verdict_page(verdict), *options.report);
}

Exit exit_code(const audit::Verdict& verdict) {
  switch (verdict.decision) {
    case audit::Decision::accepted:
      return Exit::holds;
    case audit::Decision::rejected:
      return Exit::violated;
    case audit::Decision::undecided:
      break;
  }
  return Exit::undecided;
}

void add_audit(CLI::App& root, Action& chosen, AuditCommands commands) {
  CLI::App* command =
      root.add_subcommand("audit", "Audit a PHP server: is every response what its program gives?");
  if (commands == AuditCommands::left_out) return;
  command->callback([command, &root, &chosen] {
    if (!command->get_subcommands().empty()) return;
    chosen = [&root] {
      print(root.help());
      return Exit::holds;
    };
  });
  add_audit_run(*command, chosen);
  add_audit_collect(*command, chosen);
  add_audit_check(*command, chosen);
  add_audit_tamper(*command, chosen);
  add_audit_config(*command, chosen);
  command->footer(
      "Examples:\n"
      "  assay audit run                       all of it on this machine: serve, record, audit\n"
      "  assay audit run --tamper body         the same with a lie in it, which is found\n"
      "  assay audit COMMAND --help");
}

}  // namespace assay::cli
