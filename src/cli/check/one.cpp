#include "cli/check/one.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "check/limits.hpp"
#include "cli/evidence_page.hpp"
#include "cli/option/destination.hpp"
#include "cli/option/guard.hpp"
#include "cli/option/input.hpp"
#include "cli/option/output.hpp"
#include "cli/option/progress.hpp"
#include "cli/verdict.hpp"
#include "evidence/certificate.hpp"
#include "evidence/examine.hpp"
#include "history/builder.hpp"
#include "report/dot.hpp"
#include "report/junit.hpp"

namespace assay::cli {

namespace {

using check::Verdict;
using evidence::Examination;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
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

void write_certificate(const std::string& path, const Examination& found) {
  const check::Outcome& outcome = found.outcomes.front();
  if (const auto text = evidence::certificate(found, outcome)) {
    write_text(*text, path);
  } else {
    print_error(fmt::format("{}: no certificate was written: {}", found.history->path(),
                            outcome.verdict == Verdict::undecided
                                ? "nothing was decided"
                                : "no derivation of bearable length was found"));
  }
}

// What is said where a limit ends the process before a verdict.
LastWords without_verdict(const Telling& telling, const check::Options& settings,
                          const std::shared_ptr<const History>& history, std::span<const Level> levels) {
  const auto words = [&](check::Limits::Passed passed) {
    const std::string reason = check::Limits::reason(passed, settings.memory_bytes);
    return telling.output(evidence::undecided(history, levels, reason, settings.sessions));
  };
  return {words(check::Limits::Passed::time), words(check::Limits::Passed::memory), "", Exit::undecided};
}

std::shared_ptr<const History> unread(const std::string& path) {
  HistoryBuilder nothing;
  nothing.source(path, "not read");
  nothing.note("a limit was reached before the history was read: nothing is known of it");
  return std::make_shared<const History>(nothing.finish());
}

}  // namespace

void refuse_what_cannot_be_written(const CheckOptions& options, std::span<const Level> levels) {
  for (const FileReport& file : file_reports(options)) {
    if (file.place) can_be_written(*file.place);
  }
  if (options.certificate) can_be_written(*options.certificate);
  if (options.certificate) refuse_several_levels(levels);
}

void refuse_several_levels(std::span<const Level> levels) {
  if (levels.size() != 1)
    throw UsageError("--certificate needs exactly one level: a certificate proves one verdict");
}

Exit check_one(const CheckOptions& options, const Telling& telling) {
  const std::vector<Level> levels = asked_levels(options);
  refuse_what_cannot_be_written(options, levels);
  evidence::ExamineOptions how{.check = settings_of(options), .explain = telling.explain};
  how.require_committed = options.require_committed;
  how.tenants = options.tenants;
  check::Options& settings = how.check;
  const Clock::time_point started = Clock::now();
  std::optional<Progress> progress(std::in_place, telling.progress, "reading");
  std::optional<Guard> guard(std::in_place, settings.timeout_seconds, settings.memory_bytes,
                             without_verdict(telling, settings, unread(options.input.path), levels));
  const auto history = std::make_shared<const History>(read_input(options.input));
  how.read_seconds = seconds_since(started);

  // The time that reading took is part of the time that the user gave.
  if (settings.timeout_seconds)
    *settings.timeout_seconds = std::max(*settings.timeout_seconds - how.read_seconds, 1e-3);
  if (guard->watches()) guard->prepare(without_verdict(telling, settings, history, levels));
  progress->phase("checking");
  settings.progress = [&](std::string_view phase) { progress->phase(phase); };
  how.decided = [&](const Examination& bare) {
    progress->phase("explaining");
    if (!guard->watches()) return;
    const std::string words = telling.output(bare);
    guard->prepare({words, words, "assay: error: a limit was reached before all was explained and written\n",
                    exit_code(bare.outcomes)});
  };
  const Examination found = evidence::examine(history, levels, how);
  for (const FileReport& file : file_reports(options)) {
    if (file.place) write_text(file.write(found), *file.place);
  }
  progress.reset();
  if (options.certificate) write_certificate(*options.certificate, found);

  const std::string out = telling.output(found);
  guard.reset();
  print(out);
  return exit_code(found.outcomes);
}

}  // namespace assay::cli
