#include "record/run.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/evidence_page.hpp"
#include "cli/option/destination.hpp"
#include "cli/option/locale.hpp"
#include "cli/option/names.hpp"
#include "cli/option/output.hpp"
#include "cli/option/progress.hpp"
#include "cli/recording.hpp"
#include "cli/verdict.hpp"
#include "evidence/examine.hpp"
#include "format/format.hpp"
#include "report/report.hpp"

namespace assay::cli {

namespace {

using Clock = std::chrono::steady_clock;

struct RunCommand {
  RecordingOptions recording;
  std::string history = "history.assay";
  std::string report = "report.html";
  std::vector<std::string> levels;
  LimitOptions limits;
  std::uint64_t require_committed = 0;
  bool json = false;
};

std::vector<Level> levels_to_check(const RunCommand& command, const Recording& recording) {
  std::vector<Level> levels;
  for (const std::string& name : command.levels) levels.push_back(level_named(name));
  if (levels.empty()) levels.push_back(recording.mode.promised);
  return levels;
}

nlohmann::ordered_json run_object(const RunCommand& command, const Recording& recording) {
  const record::RunResult& result = recording.result;
  return {{"store", recording.store},
          {"isolation", recording.mode.called},
          {"promised", info(recording.mode.promised).name},
          {"workload", command.recording.workload},
          {"sessions", recording.sessions},
          {"seed", command.recording.run.seed},
          {"seconds", result.seconds},
          {"rows_loaded", result.rows},
          {"committed", result.counts.committed},
          {"aborted", result.counts.aborted},
          {"unknown", result.counts.unknown},
          {"commits_per_second",
           result.seconds > 0 ? static_cast<double>(result.counts.committed) / result.seconds : 0.0},
          {"latency_ms",
           {{"p50", result.latencies.percentile(50) * 1e3},
            {"p90", result.latencies.percentile(90) * 1e3},
            {"p99", result.latencies.percentile(99) * 1e3}}},
          {"stopped", result.stopped},
          {"history", command.history},
          {"report", command.report}};
}

// The object that 'assay check --json' prints, and "run".
std::string run_json(const RunCommand& command, const Recording& recording,
                     const evidence::Examination& found) {
  auto object = nlohmann::ordered_json::parse(report::json(found));
  object["run"] = run_object(command, recording);
  return object.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

Exit run_run(const RunCommand& command) {
  for (const std::string& name : command.levels) level_named(name);
  can_be_written(command.history);
  can_be_written(command.report);
  evidence::ExamineOptions how{.check = limits(command.limits)};
  how.require_committed = command.require_committed;
  how.explain = command.json ? evidence::Explain::all : evidence::Explain::weakest;
  const bool quiet = command.recording.quiet;

  const Recording recording = record_as_asked(command.recording, command.history);
  if (!quiet && !command.json) {
    print(told(recording, command.recording));
    flush_output();
  }

  std::optional<Progress> progress(std::in_place, !quiet, "reading");
  const Clock::time_point started = Clock::now();
  auto history = std::make_shared<const History>(format::read_history(command.history));
  how.read_seconds = seconds_since(started);
  how.check.progress = [&](std::string_view phase) { progress->phase(phase); };
  how.decided = [&](const evidence::Examination&) { progress->phase("explaining"); };
  const evidence::Examination found =
      evidence::examine(std::move(history), levels_to_check(command, recording), how);
  write_text(page_of(found, how.check), command.report);
  progress.reset();

  if (command.json) {
    print(run_json(command, recording, found));
  } else if (!quiet) {
    print("\n" + in_locale(report::text(found, {colour_on_output(), false, false})));
    print(fmt::format("\nreport     {}\nhistory    {}\n", command.report, command.history));
  }
  return exit_code(found.outcomes);
}

}  // namespace

void add_run(CLI::App& root, Action& chosen_action) {
  CLI::App* command = root.add_subcommand(
      "run", "Test a database: run a workload, record it, check it, and write a report (SQLite by default)");
  auto options = std::make_shared<RunCommand>();
  add_recording_options(*command, options->recording);
  command
      ->add_option("-l,--level", options->levels,
                   "A level to check; may be repeated or comma-separated (what the database promises if none "
                   "is given)")
      ->type_name("LEVEL")
      ->delimiter(',')
      ->allow_extra_args(false);
  command->add_option("--report", options->report, "Where the report goes: one self-contained web page")
      ->type_name("FILE.html")
      ->capture_default_str();
  command->add_option("-o,--output", options->history, "Where the history goes, in Assay's packed format")
      ->type_name("FILE")
      ->capture_default_str();
  command->add_flag("--json", options->json, "Print the run and the verdict as one JSON object");
  add_require_committed(*command, options->require_committed);
  add_limit_options(*command, options->limits);
  command->footer(
      "Ctrl-C ends the recording early; what was recorded is still checked.\n"
      "Exit code: 0 every asked level holds, 1 some is violated, 2 undecided, 3 bad input, command\n"
      "line or database, 4 a defect of Assay.\n"
      "\n"
      "Examples:\n"
      "  assay run                                           SQLite, C-Twitter, ten seconds\n"
      "  assay run postgres://me@localhost/test --workload tpcc --sessions 20\n"
      "  assay run --server postgres --isolation read-committed --workload bank --level serializable\n"
      "  assay run memory:serializable?fault=lost-update     a database that is broken on purpose");
  command->callback([options, &chosen_action] { chosen_action = [options] { return run_run(*options); }; });
}

}  // namespace assay::cli
