#include "check/check.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <new>

#include "check/limits.hpp"
#include "cli/choice.hpp"
#include "cli/command.hpp"
#include "cli/destination.hpp"
#include "cli/guard.hpp"
#include "cli/input.hpp"
#include "cli/names.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/verdict.hpp"
#include "evidence/certificate.hpp"
#include "history/builder.hpp"
#include "report/dot.hpp"
#include "report/html.hpp"
#include "report/junit.hpp"
#include "report/report.hpp"

namespace assay::cli {

namespace {

using check::Method;
using check::Outcome;
using check::SessionOrder;
using check::Verdict;
using Clock = std::chrono::steady_clock;

constexpr Choice<SessionOrder> kSessions[] = {{"keep", SessionOrder::keep}, {"ignore", SessionOrder::ignore}};
constexpr Choice<Method> kMethods[] = {
    {"auto", Method::automatic}, {"width", Method::width}, {"sat", Method::sat}};

struct CheckOptions {
  InputOptions input;
  std::vector<std::string> levels;
  bool all = false;
  std::string sessions = "keep";
  std::optional<std::string> clock_drift;
  std::string method = "auto";
  bool json = false;
  bool stats = false;
  std::optional<std::string> report, dot, junit;
  bool annotate = false;
  LimitOptions limits;
  bool quiet = false;
  std::optional<std::string> certificate;
};

std::vector<Level> asked_levels(const CheckOptions& options) {
  std::vector<Level> asked;
  if (options.all) {
    for (const LevelInfo& level : levels()) asked.push_back(level.level);
    return asked;
  }
  for (const std::string& name : options.levels) {
    const Level level = level_named(name);
    if (std::find(asked.begin(), asked.end(), level) == asked.end()) asked.push_back(level);
  }
  if (asked.empty()) asked.push_back(Level::serializable);
  return asked;
}

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

check::Options settings_of(const CheckOptions& options) {
  check::Options settings = limits(options.limits);
  settings.sessions = chosen(kSessions, "--sessions", options.sessions);
  settings.method = chosen(kMethods, "--method", options.method);
  if (options.clock_drift) settings.clock_drift = duration_of(*options.clock_drift);
  return settings;
}

// The forms of the verdict that go to files of their own.
struct FileReport {
  const std::optional<std::string>& place;
  std::string (*tell)(const report::Checked&);
};

std::array<FileReport, 3> file_reports(const CheckOptions& options) {
  return {{{options.report, report::html}, {options.dot, report::dot}, {options.junit, report::junit}}};
}

bool any_file(const CheckOptions& options) {
  const auto files = file_reports(options);
  return std::any_of(files.begin(), files.end(),
                     [](const FileReport& file) { return file.place.has_value(); });
}

void write_certificate(const std::string& path, const History& history, const Outcome& outcome,
                       std::span<const report::Story> stories, const check::Options& settings) {
  const report::Story* story = report::story_of(stories, outcome.level);
  const auto text =
      evidence::certificate(history, outcome, story == nullptr ? nullptr : &story->counterexample, settings);
  if (text) {
    write_text(*text, path);
  } else {
    print_error(outcome.verdict == Verdict::undecided
                    ? "no certificate was written: nothing was decided"
                    : "no certificate was written: no derivation of bearable length was found");
  }
}

std::string told(const CheckOptions& options, const report::Checked& checked) {
  std::string out = options.annotate ? report::annotations(checked) : "";
  if (options.json) {
    out += report::json(checked);
  } else if (!options.quiet) {
    out += report::text(checked, {colour_on_output(), options.stats, options.all});
  }
  return out;
}

// What is said where a limit ends the process before a verdict.
LastWords without_verdict(const CheckOptions& options, const check::Options& settings, const History& history,
                          std::span<const Level> levels) {
  const auto words = [&](check::Limits::Passed passed) {
    const auto outcomes = all_undecided(levels, check::Limits::reason(passed, settings.memory_bytes));
    return told(options, {history, outcomes, settings.sessions});
  };
  return {words(check::Limits::Passed::time), words(check::Limits::Passed::memory), "", Exit::undecided};
}

History unread(const std::string& path) {
  HistoryBuilder nothing;
  nothing.source(path, "not read");
  nothing.note("a limit was reached before the history was read: nothing is known of it");
  return nothing.finish();
}

Exit run_check(const CheckOptions& options) {
  const std::vector<Level> levels = asked_levels(options);
  for (const FileReport& file : file_reports(options)) {
    if (file.place) can_be_written(*file.place);
  }
  if (options.certificate) can_be_written(*options.certificate);
  if (options.certificate && levels.size() != 1)
    throw UsageError("--certificate needs exactly one level: a certificate proves one verdict");
  check::Options settings = settings_of(options);
  const Clock::time_point started = Clock::now();
  std::optional<Progress> progress(std::in_place, !options.quiet, "reading");
  std::optional<Guard> guard(std::in_place, settings.timeout_seconds, settings.memory_bytes,
                             without_verdict(options, settings, unread(options.input.path), levels));
  const History history = read_input(options.input);
  const double read_seconds = seconds_since(started);

  // The time that reading took is part of the time that the user gave.
  if (settings.timeout_seconds)
    *settings.timeout_seconds = std::max(*settings.timeout_seconds - read_seconds, 1e-3);
  if (guard->watches()) guard->prepare(without_verdict(options, settings, history, levels));
  progress->phase("checking");
  settings.progress = [&](std::string_view phase) { progress->phase(phase); };
  const std::vector<Outcome> outcomes = decide(history, levels, settings);
  const double check_seconds = seconds_since(started) - read_seconds;
  if (guard->watches()) {
    const std::string bare =
        told(options, {history, outcomes, settings.sessions, read_seconds, check_seconds});
    guard->prepare({bare, bare, "assay: error: a limit was reached before all was explained and written\n",
                    exit_code(outcomes)});
  }
  progress->phase("explaining");
  std::vector<report::Story> stories;
  if (!options.quiet || options.json || options.certificate || options.annotate || any_file(options)) {
    const bool all = options.json || options.certificate;
    stories = report::tell(history, outcomes, settings, all ? report::Which::all : report::Which::weakest);
  }
  const report::Checked checked{history, outcomes, settings.sessions, read_seconds, check_seconds, stories};
  for (const FileReport& file : file_reports(options)) {
    if (file.place) write_text(file.tell(checked), *file.place);
  }
  progress.reset();
  if (options.certificate) write_certificate(*options.certificate, history, outcomes[0], stories, settings);

  const std::string out = told(options, checked);
  guard.reset();
  print(out);
  return exit_code(outcomes);
}

Exit check_or_run_out_of_memory(const CheckOptions& options) {
  try {
    return run_check(options);
  } catch (const std::bad_alloc&) {
    print_error("undecided: out of memory");
    return Exit::undecided;
  }
}

}  // namespace

void add_check(CLI::App& root, Action& chosen_action) {
  CLI::App* command = root.add_subcommand("check", "Decide whether a history satisfies isolation levels");
  auto options = std::make_shared<CheckOptions>();
  add_input_options(*command, options->input, "HISTORY");
  CLI::Option* level =
      command
          ->add_option("-l,--level", options->levels,
                       "A level to check, by name or alias; may be repeated or comma-separated "
                       "(serializable if none is given)")
          ->type_name("LEVEL")
          ->delimiter(',')
          ->allow_extra_args(false);
  command->add_flag("-a,--all", options->all, "Check every level and name the strongest that holds")
      ->excludes(level);
  command
      ->add_option("--sessions", options->sessions,
                   "Whether the order of transactions in a session must be respected")
      ->type_name(words(kSessions))
      ->capture_default_str();
  command
      ->add_option(
          "--clock-drift", options->clock_drift,
          "By how much clocks may disagree, for the levels with real time: 100ms, 2s (0 for one clock, 100ms "
          "for several)")
      ->type_name("DURATION");
  command
      ->add_option("--method", options->method,
                   "How to decide: the engine, or a slower second opinion on a small history")
      ->type_name(words(kMethods))
      ->capture_default_str();
  command->add_flag("--json", options->json, "Print the verdict as one JSON object");
  command->add_option("--report", options->report, "Write the verdict as one self-contained web page")
      ->type_name("FILE.html");
  command->add_option("--dot", options->dot, "Write the evidence as a graph for Graphviz")->type_name("FILE");
  command->add_option("--junit", options->junit, "Write a JUnit file with a test case per level")
      ->type_name("FILE");
  command->add_flag("--annotate", options->annotate,
                    "Also print what is violated or undecided as annotations for GitHub");
  command
      ->add_option("--certificate", options->certificate,
                   "Write a proof of the verdict that 'assay verify' checks; - is standard output")
      ->type_name("FILE");
  command->add_flag("--stats", options->stats, "Also print how the time was spent");
  add_limit_options(*command, options->limits);
  command->add_flag("-q,--quiet", options->quiet, "Print no text and no progress: the exit code tells");
  command->footer(
      "Exit code: 0 every asked level holds, 1 some is violated, 2 undecided, 3 bad input or\n"
      "command line, 4 a defect of Assay.\n"
      "\n"
      "Examples:\n"
      "  assay check run.jsonl                      is it serializable?\n"
      "  assay check run.jsonl --level si,causal    two levels at once\n"
      "  assay check cobra-logs/ --all              which levels hold?\n"
      "  assay check run.edn --json --timeout 60    for a script\n"
      "  assay check run.edn --report run.html      a page that shows what went wrong");
  command->callback([options, &chosen_action] {
    chosen_action = [options] { return check_or_run_out_of_memory(*options); };
  });
}

}  // namespace assay::cli
