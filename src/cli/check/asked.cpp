#include "cli/check/asked.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "cli/option/choice.hpp"
#include "cli/option/names.hpp"

namespace assay::cli {

namespace {

using check::Method;
using check::SessionOrder;

constexpr Choice<SessionOrder> kSessions[] = {{"keep", SessionOrder::keep}, {"ignore", SessionOrder::ignore}};
constexpr Choice<Method> kMethods[] = {
    {"auto", Method::automatic}, {"width", Method::width}, {"sat", Method::sat}};

}  // namespace

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

check::Options settings_of(const CheckOptions& options) {
  check::Options settings = limits(options.limits);
  settings.sessions = chosen(kSessions, "--sessions", options.sessions);
  settings.method = chosen(kMethods, "--method", options.method);
  if (options.clock_drift) settings.clock_drift = duration_of(*options.clock_drift);
  return settings;
}

evidence::Explain what_to_explain(const CheckOptions& options) {
  if (options.json || options.certificate) return evidence::Explain::all;
  const bool shown = !options.quiet || options.annotate || options.report || options.dot || options.junit;
  return shown ? evidence::Explain::weakest : evidence::Explain::nothing;
}

void add_check_options(CLI::App& command, CheckOptions& options) {
  command
      .add_option("HISTORY", options.histories,
                  "The history: a file (gzip and zstd are unpacked), a directory, or - for standard input. "
                  "Several are checked apart, each as a "
                  "history of its own")
      ->required()
      ->type_name("PATH");
  command.add_flag("--several", options.several,
                   "Tell one history as several are told, for a pattern that may match only one");
  add_reading_options(command, options.input);
  CLI::Option* level =
      command
          .add_option("-l,--level", options.levels,
                      "A level to check, by name or alias; may be repeated or comma-separated "
                      "(serializable if none is given)")
          ->type_name("LEVEL")
          ->delimiter(',')
          ->allow_extra_args(false);
  command.add_flag("-a,--all", options.all, "Check every level and name the strongest that holds")
      ->excludes(level);
  command
      .add_option("--sessions", options.sessions,
                  "Whether the order of transactions in a session must be respected")
      ->type_name(words(kSessions))
      ->capture_default_str();
  command
      .add_option(
          "--clock-drift", options.clock_drift,
          "By how much clocks may disagree, for the levels with real time: 100ms, 2s (0 for one clock, 100ms "
          "for several)")
      ->type_name("DURATION");
  command
      .add_option("--method", options.method,
                  "How to decide: the engine, or a slower second opinion on a small history")
      ->type_name(words(kMethods))
      ->capture_default_str();
  command
      .add_option("--tenant", options.tenants,
                  "Decide tenants apart: those of the keys whose names begin alike, as far as this pattern "
                  "matches ('shop:*:'); the verdict is that of the whole")
      ->type_name("PATTERN");
  command.add_flag("--json", options.json,
                   "Print the verdict as one JSON object; of several histories, an array");
  command.add_option("--report", options.report, "Write the verdict as one self-contained web page")
      ->type_name("FILE.html");
  command.add_option("--dot", options.dot, "Write the evidence as a graph for Graphviz")->type_name("FILE");
  command.add_option("--junit", options.junit, "Write a JUnit file with a test case per level")
      ->type_name("FILE");
  command.add_flag("--annotate", options.annotate,
                   "Also print what is violated or undecided as annotations for GitHub");
  command
      .add_option("--certificate", options.certificate,
                  "Write a proof of the verdict that 'assay verify' checks; - is standard output")
      ->type_name("FILE");
  command.add_flag("--stats", options.stats, "Also print how the time was spent");
  add_require_committed(command, options.require_committed);
  add_limit_options(command, options.limits);
  command.add_flag("-q,--quiet", options.quiet, "Print no text and no progress: the exit code tells");
}

}  // namespace assay::cli
