#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <memory>

#include "check/limits.hpp"
#include "cli/command.hpp"
#include "cli/evidence_page.hpp"
#include "cli/option/choice.hpp"
#include "cli/option/destination.hpp"
#include "cli/option/guard.hpp"
#include "cli/option/input.hpp"
#include "cli/option/locale.hpp"
#include "cli/option/names.hpp"
#include "cli/option/output.hpp"
#include "cli/option/progress.hpp"
#include "cli/verdict.hpp"
#include "evidence/certificate.hpp"
#include "evidence/examine.hpp"
#include "history/builder.hpp"
#include "report/dot.hpp"
#include "report/junit.hpp"
#include "report/report.hpp"

namespace assay::cli {

namespace {

using check::Method;
using check::SessionOrder;
using check::Verdict;
using evidence::Examination;
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
  std::uint64_t require_committed = 0;
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
  std::function<std::string(const Examination&)> write;
};

std::array<FileReport, 3> file_reports(const CheckOptions& options) {
  const auto page = [&options](const Examination& found) { return page_of(found, settings_of(options)); };
  return {{{options.report, page}, {options.dot, report::dot}, {options.junit, report::junit}}};
}

bool any_file(const CheckOptions& options) {
  const auto files = file_reports(options);
  return std::any_of(files.begin(), files.end(),
                     [](const FileReport& file) { return file.place.has_value(); });
}

void write_certificate(const std::string& path, const Examination& found) {
  const check::Outcome& outcome = found.outcomes.front();
  if (const auto text = evidence::certificate(found, outcome)) {
    write_text(*text, path);
  } else {
    print_error(outcome.verdict == Verdict::undecided
                    ? "no certificate was written: nothing was decided"
                    : "no certificate was written: no derivation of bearable length was found");
  }
}

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

// What is said where a limit ends the process before a verdict.
LastWords without_verdict(const CheckOptions& options, const check::Options& settings,
                          const std::shared_ptr<const History>& history, std::span<const Level> levels) {
  const auto words = [&](check::Limits::Passed passed) {
    const std::string reason = check::Limits::reason(passed, settings.memory_bytes);
    return output_of(options, evidence::undecided(history, levels, reason, settings.sessions));
  };
  return {words(check::Limits::Passed::time), words(check::Limits::Passed::memory), "", Exit::undecided};
}

std::shared_ptr<const History> unread(const std::string& path) {
  HistoryBuilder nothing;
  nothing.source(path, "not read");
  nothing.note("a limit was reached before the history was read: nothing is known of it");
  return std::make_shared<const History>(nothing.finish());
}

void refuse_what_cannot_be_written(const CheckOptions& options, std::span<const Level> levels) {
  for (const FileReport& file : file_reports(options)) {
    if (file.place) can_be_written(*file.place);
  }
  if (options.certificate) can_be_written(*options.certificate);
  if (options.certificate && levels.size() != 1)
    throw UsageError("--certificate needs exactly one level: a certificate proves one verdict");
}

evidence::Explain what_to_explain(const CheckOptions& options) {
  if (options.json || options.certificate) return evidence::Explain::all;
  const bool shown = !options.quiet || options.annotate || any_file(options);
  return shown ? evidence::Explain::weakest : evidence::Explain::nothing;
}

Exit run_check(const CheckOptions& options) {
  const std::vector<Level> levels = asked_levels(options);
  refuse_what_cannot_be_written(options, levels);
  evidence::ExamineOptions how{.check = settings_of(options), .explain = what_to_explain(options)};
  how.require_committed = options.require_committed;
  check::Options& settings = how.check;
  const Clock::time_point started = Clock::now();
  std::optional<Progress> progress(std::in_place, !options.quiet, "reading");
  std::optional<Guard> guard(std::in_place, settings.timeout_seconds, settings.memory_bytes,
                             without_verdict(options, settings, unread(options.input.path), levels));
  const auto history = std::make_shared<const History>(read_input(options.input));
  how.read_seconds = seconds_since(started);

  // The time that reading took is part of the time that the user gave.
  if (settings.timeout_seconds)
    *settings.timeout_seconds = std::max(*settings.timeout_seconds - how.read_seconds, 1e-3);
  if (guard->watches()) guard->prepare(without_verdict(options, settings, history, levels));
  progress->phase("checking");
  settings.progress = [&](std::string_view phase) { progress->phase(phase); };
  how.decided = [&](const Examination& bare) {
    progress->phase("explaining");
    if (!guard->watches()) return;
    const std::string words = output_of(options, bare);
    guard->prepare({words, words, "assay: error: a limit was reached before all was explained and written\n",
                    exit_code(bare.outcomes)});
  };
  const Examination found = evidence::examine(history, levels, how);
  for (const FileReport& file : file_reports(options)) {
    if (file.place) write_text(file.write(found), *file.place);
  }
  progress.reset();
  if (options.certificate) write_certificate(*options.certificate, found);

  const std::string out = output_of(options, found);
  guard.reset();
  print(out);
  return exit_code(found.outcomes);
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
  add_require_committed(*command, options->require_committed);
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
  command->callback([options, &chosen_action] { chosen_action = [options] { return run_check(*options); }; });
}

}  // namespace assay::cli
