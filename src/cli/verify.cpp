#include "verify/verify.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "check/limits.hpp"
#include "cli/command.hpp"
#include "cli/option/choice.hpp"
#include "cli/option/guard.hpp"
#include "cli/option/input.hpp"
#include "cli/option/names.hpp"
#include "cli/option/output.hpp"
#include "cli/option/progress.hpp"
#include "cli/verdict.hpp"
#include "report/printable.hpp"
#include "system/input.hpp"
#include "system/input_error.hpp"

namespace assay::cli {

namespace {

constexpr Choice<bool> kVerdicts[] = {{"holds", true}, {"violated", false}};
constexpr Choice<bool> kSessions[] = {{"keep", true}, {"ignore", false}};

struct VerifyOptions {
  std::string certificate;
  InputOptions input;
  std::optional<std::string> level, verdict, sessions, clock_drift;
  LimitOptions limits;
  bool quiet = false;
};

// What the certificate has to prove. Nothing is asked for where an option is not given.
struct Expected {
  std::optional<Level> level;
  std::optional<bool> holds, keep_sessions;
  std::optional<std::chrono::nanoseconds> clock_drift;
};

// Throws UsageError.
Expected expected_by(const VerifyOptions& options) {
  Expected expected;
  if (options.level) expected.level = level_named(*options.level);
  if (options.verdict) expected.holds = chosen(kVerdicts, "--verdict", *options.verdict);
  if (options.sessions) expected.keep_sessions = chosen(kSessions, "--sessions", *options.sessions);
  if (options.clock_drift) expected.clock_drift = duration_of(*options.clock_drift);
  return expected;
}

// What of the claim is not as expected; empty if nothing. A level without real time does not depend on
// clocks.
std::string difference(const verify::Claim& claim, const Expected& expected) {
  std::string found;
  const auto compare = [&](bool same, const char* what, std::string_view is, std::string_view should) {
    if (!same) found += fmt::format("{}its {} is {}, not {}", found.empty() ? "" : "; ", what, is, should);
  };
  const auto verdict = [](bool holds) { return holds ? "holds" : "violated"; };
  const auto sessions = [](bool keep) { return keep ? "keep" : "ignore"; };
  const auto drift = [](std::chrono::nanoseconds time) { return fmt::format("{} ns", time.count()); };
  if (expected.level) {
    compare(claim.level == *expected.level, "level", info(claim.level).name, info(*expected.level).name);
  }
  if (expected.holds) {
    compare(claim.holds == *expected.holds, "verdict", verdict(claim.holds), verdict(*expected.holds));
  }
  if (expected.keep_sessions) {
    compare(claim.keep_sessions == *expected.keep_sessions, "session order", sessions(claim.keep_sessions),
            sessions(*expected.keep_sessions));
  }
  if (expected.clock_drift && info(claim.level).real_time) {
    compare(claim.clock_drift == *expected.clock_drift, "clock drift", drift(claim.clock_drift),
            drift(*expected.clock_drift));
  }
  return found;
}

std::string content_of(const std::string& path) {
  if (std::filesystem::is_directory(path)) {
    throw InputError(path, "", "is a folder: expected the file of a certificate");
  }
  return std::string(system::open_input(path).input.files.front().bytes);
}

std::string told(const verify::Claim& claim) {
  return fmt::format(
      "{} {}{}{}", info(claim.level).name, claim.holds ? "holds" : "is violated",
      claim.keep_sessions ? "" : ", the order in sessions ignored",
      info(claim.level).real_time ? fmt::format(", clock drift {} ns", claim.clock_drift.count()) : "");
}

LastWords limit_reached(const VerifyOptions& options, const check::Options& limits) {
  const auto words = [&](check::Limits::Passed passed) {
    const std::string reason = check::Limits::reason(passed, limits.memory_bytes);
    return options.quiet ? "" : fmt::format("undecided: {}\n", reason);
  };
  return {words(check::Limits::Passed::time), words(check::Limits::Passed::memory), "", Exit::undecided};
}

Exit run_verify(const VerifyOptions& options) {
  const Expected expected = expected_by(options);
  const check::Options settings = limits(options.limits);
  std::optional<Progress> progress(std::in_place, !options.quiet, "reading");
  std::optional<Guard> guard(std::in_place, settings.timeout_seconds, settings.memory_bytes,
                             limit_reached(options, settings));
  const std::string text = content_of(options.certificate);
  const History history = read_input(options.input);
  progress->phase("verifying");
  const verify::Verification found = verify::verify(text, options.certificate, history, report::printable);
  progress.reset();
  guard.reset();
  std::string answer = "accepted: " + told(found.claim);
  bool is_fine = found.accepted;
  if (!found.accepted) {
    answer = "rejected: " + report::printable(found.reason);
  } else if (const std::string other = difference(found.claim, expected); !other.empty()) {
    answer =
        fmt::format("not what was expected: the certificate proves that {}: {}", told(found.claim), other);
    is_fine = false;
  }
  if (!options.quiet) print(answer + "\n");
  return is_fine ? Exit::holds : Exit::violated;
}

void add_expectations(CLI::App& command, VerifyOptions& options) {
  command.add_option("-l,--level", options.level, "The level that the certificate must be about")
      ->type_name("LEVEL");
  command.add_option("--verdict", options.verdict, "What it must prove")->type_name(words(kVerdicts));
  command
      .add_option("--sessions", options.sessions,
                  "Whether it must respect the order of transactions in a session")
      ->type_name(words(kSessions));
  command
      .add_option("--clock-drift", options.clock_drift,
                  "By how much it must let clocks disagree, at a level with real time: 0, 100ms")
      ->type_name("DURATION");
}

}  // namespace

void add_verify(CLI::App& root, Action& chosen_action) {
  CLI::App* command = root.add_subcommand("verify", "Check a certificate against the history it is about");
  auto options = std::make_shared<VerifyOptions>();
  command
      ->add_option("CERTIFICATE", options->certificate,
                   "What 'assay check --certificate' wrote; - is standard input")
      ->required()
      ->type_name("FILE");
  add_input_options(*command, options->input, "HISTORY");
  add_expectations(*command, *options);
  add_time_and_memory_options(*command, options->limits);
  command->add_flag("-q,--quiet", options->quiet, "Print nothing: the exit code tells");
  command->footer(
      "Exit code: 0 accepted, 1 rejected or not what was expected, 2 a limit was reached, 3 bad\n"
      "input or command line, 4 a defect of Assay.\n"
      "\n"
      "Examples:\n"
      "  assay check run.jsonl --level si --certificate run.proof\n"
      "  assay verify run.proof run.jsonl\n"
      "  assay verify run.proof run.jsonl --level si --verdict holds --sessions keep   for a script");
  command->callback(
      [options, &chosen_action] { chosen_action = [options] { return run_verify(*options); }; });
}

}  // namespace assay::cli
