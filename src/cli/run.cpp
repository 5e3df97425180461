#include "record/run.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/evidence_page.hpp"
#include "cli/option/destination.hpp"
#include "cli/option/locale.hpp"
#include "cli/option/names.hpp"
#include "cli/option/output.hpp"
#include "cli/option/progress.hpp"
#include "cli/run/recording.hpp"
#include "cli/run/run_folder.hpp"
#include "cli/verdict.hpp"
#include "evidence/examine.hpp"
#include "format/format.hpp"
#include "report/report.hpp"

namespace assay::cli {

namespace {

using Clock = std::chrono::steady_clock;

struct RunCommand {
  RecordingOptions recording;
  std::optional<std::string> history, report;  // where not told, in the run's own folder
  std::vector<std::string> levels;
  LimitOptions limits;
  std::uint64_t require_committed = 0;
  std::optional<std::uint64_t> repeat;
  bool until_violation = false;
  bool json = false;
};

// One run of perhaps several.
struct OneRun {
  const RunCommand& command;
  RecordingOptions recording;  // with a seed of its own
  std::string history, report;
};

struct RunEnd {
  Exit code = Exit::holds;
  bool stopped = false;
};

std::vector<Level> levels_to_check(const RunCommand& command, const Recording& recording) {
  std::vector<Level> levels;
  for (const std::string& name : command.levels) levels.push_back(level_named(name));
  if (levels.empty()) levels.push_back(recording.mode.promised.value());
  return levels;
}

nlohmann::ordered_json run_object(const OneRun& run, const Recording& recording) {
  const record::RunResult& result = recording.result;
  return {{"store", recording.store},
          {"isolation", recording.mode.called},
          {"promised",
           recording.mode.promised ? nlohmann::ordered_json(info(*recording.mode.promised).name) : nullptr},
          {"workload", run.recording.workload},
          {"sessions", recording.sessions},
          {"seed", run.recording.run.seed},
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
          {"history", run.history},
          {"report", run.report}};
}

// The object that 'assay check --json' prints, and "run".
std::string run_json(const OneRun& run, const Recording& recording, const evidence::Examination& found) {
  auto object = nlohmann::ordered_json::parse(report::json(found));
  object["run"] = run_object(run, recording);
  return object.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

RunEnd run_once(const OneRun& run) {
  const RunCommand& command = run.command;
  can_be_written(run.history);
  can_be_written(run.report);
  evidence::ExamineOptions how{.check = limits(command.limits)};
  how.require_committed = command.require_committed;
  how.explain = command.json ? evidence::Explain::all : evidence::Explain::weakest;
  const bool quiet = run.recording.quiet;

  const Recording recording = record_as_asked(run.recording, run.history);
  if (!quiet && !command.json) {
    print(told(recording, run.recording));
    flush_output();
  }

  std::optional<Progress> progress(std::in_place, !quiet, "reading");
  const Clock::time_point started = Clock::now();
  auto history = std::make_shared<const History>(format::read_history(run.history));
  how.read_seconds = seconds_since(started);
  how.check.progress = [&](std::string_view phase) { progress->phase(phase); };
  how.decided = [&](const evidence::Examination&) { progress->phase("explaining"); };
  const evidence::Examination found =
      evidence::examine(std::move(history), levels_to_check(command, recording), how);
  write_text(page_of(found, how.check), run.report);
  progress.reset();

  if (command.json) {
    print(run_json(run, recording, found));
  } else if (!quiet) {
    print("\n" + in_locale(report::text(found, {colour_on_output(), false, false})));
    print(fmt::format("\nreport     {}\nhistory    {}\n", run.report, run.history));
  }
  flush_output();
  return {exit_code(found.outcomes), recording.result.stopped};
}

// What is not told to go elsewhere goes to a new folder.
RunEnd run_in_its_folder(const RunCommand& command, std::uint64_t number) {
  OneRun run{command, command.recording, command.history.value_or(""), command.report.value_or("")};
  run.recording.run.seed += number;
  run.recording.needs_promise = command.levels.empty();
  std::optional<RunFolder> folder;
  if (!command.history || !command.report)
    folder.emplace(kind_of(command.recording), command.recording.workload);
  if (!command.history) run.history = folder->file("history.assay");
  if (!command.report) run.report = folder->file("report.html");
  const RunEnd end = run_once(run);
  if (folder && command.until_violation && end.code == Exit::holds && !end.stopped) {
    for (const char* made : {"history.assay", "report.html"}) std::filesystem::remove(folder->file(made));
  } else if (folder) {
    folder->become_latest();
  }
  return end;
}

Exit worse(Exit a, Exit b) {
  if (a == Exit::violated || b == Exit::violated) return Exit::violated;
  return a == Exit::holds ? b : a;
}

Exit run_run(const RunCommand& command) {
  for (const std::string& name : command.levels) level_named(name);
  const bool several = command.repeat || command.until_violation;
  if (several && (command.history || command.report))
    throw UsageError("--repeat and --until-violation make a folder per run: leave out --output and --report");
  const std::uint64_t most = command.repeat.value_or(command.until_violation ? UINT64_MAX : 1);
  const bool tells = several && !command.recording.quiet && !command.json;
  Exit all = Exit::holds;
  std::uint64_t ran = 0, violated = 0, undecided = 0;
  while (ran < most) {
    if (tells) print(fmt::format("{}run {}\n", ran == 0 ? "" : "\n", ran + 1));
    const RunEnd end = run_in_its_folder(command, ran);
    ++ran;
    if (end.code == Exit::violated) ++violated;
    if (end.code == Exit::undecided) ++undecided;
    all = worse(all, end.code);
    if (end.stopped || (command.until_violation && end.code == Exit::violated)) break;
  }
  if (tells) {
    print(fmt::format("\n{} run{}: {} hold, {} violated, {} undecided\n", ran, ran == 1 ? "" : "s",
                      ran - violated - undecided, violated, undecided));
  }
  return all;
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
  command
      ->add_option("--report", options->report,
                   "Where the report goes, one self-contained web page (report.html in a new folder "
                   "below assay-runs if not given)")
      ->type_name("FILE.html");
  command
      ->add_option(
          "-o,--output", options->history,
          "Where the history goes, in Assay's packed format (history.assay in that folder if not given)")
      ->type_name("FILE");
  command
      ->add_option("--repeat", options->repeat,
                   "Run so often, each time with the next seed and in a folder of its own")
      ->type_name("N")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000'000}));
  command->add_flag("--until-violation", options->until_violation,
                    "Run again, with the next seed, until a level is violated (or --repeat is reached); runs "
                    "that hold are not kept");
  command->add_flag("--json", options->json, "Print the run and the verdict as one JSON object");
  add_require_committed(*command, options->require_committed);
  add_limit_options(*command, options->limits);
  command->footer(
      "Ctrl-C ends the recording early; what was recorded is still checked.\n"
      "Exit code: 0 every asked level holds, 1 some is violated, 2 undecided, 3 bad input, command\n"
      "line or database, 4 a defect of Assay. Of several runs the worst: 1, then 2, then 0.\n"
      "\n"
      "Examples:\n"
      "  assay run                                           SQLite, C-Twitter, ten seconds\n"
      "  assay run postgres://me@localhost/test --workload tpcc --sessions 20\n"
      "  assay run --server postgres --isolation read-committed --workload bank --level serializable\n"
      "  assay run memory:serializable?fault=lost-update     a database that is broken on purpose");
  command->callback([options, &chosen_action] { chosen_action = [options] { return run_run(*options); }; });
}

}  // namespace assay::cli
