#include "watch/event.hpp"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "evidence/patterns.hpp"
#include "format/assay/packed_block.hpp"
#include "history/builder.hpp"
#include "report/printable.hpp"
#include "report/report.hpp"

namespace assay::watch {

using evidence::Examination;
using nlohmann::ordered_json;

namespace {

std::string line_of(const ordered_json& object) {
  return object.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::string verdict_so_far(const Status& s) {
  if (s.violations > 0) return "violated";
  return s.verdict == Verdict::undecided ? "undecided" : "holds so far";
}

// Where a part of the contradiction is older than what is kept: the watcher knows it, these transactions
// alone do not show it.
Examination known_to_the_watcher(const History& history, Level level, const std::string& reason) {
  Examination found;
  found.history = std::make_shared<const History>(HistoryBuilder::noted(History(history), reason));
  check::Outcome& outcome = found.outcomes.emplace_back();
  outcome.level = level;
  outcome.verdict = Verdict::violated;
  outcome.method = "watch";
  return found;
}

}  // namespace

ExaminedViolation examine(const Violation& violation, Level level, std::chrono::nanoseconds clock_drift) {
  ExaminedViolation examined{violation, level, std::nullopt};
  if (!violation.round.counterexample) return examined;
  const Round& round = violation.round;
  History shown = *round.counterexample;
  PackedCodec::source(shown, fmt::format("violation {}", violation.number), "watched");
  if (!round.explanation) {
    examined.found = known_to_the_watcher(shown, level, round.reason);
  } else {
    Examination& found = examined.found.emplace();
    found.history = std::make_shared<const History>(std::move(shown));
    found.outcomes = {round.outcome};
    found.explanations = {
        {level, *round.explanation, evidence::roles_of(*found.history, *round.explanation)}};
  }
  examined.found->clock_drift = clock_drift;
  examined.found->check_seconds = round.seconds;
  return examined;
}

std::string kind_of(const ExaminedViolation& examined) {
  if (!examined.found || examined.found->explanations.empty()) return "violation without a name";
  return std::string(info(examined.found->explanations.front().counterexample.anomaly).title);
}

std::string page_name(const Violation& violation) {
  return fmt::format("violation-{:016x}.html", violation.digest);
}

bool is_page_name(std::string_view file) {
  constexpr std::string_view kBegin = "violation-", kEnd = ".html";
  return file.size() == kBegin.size() + 16 + kEnd.size() && file.starts_with(kBegin) &&
         file.ends_with(kEnd) &&
         file.find_first_not_of("0123456789abcdef", kBegin.size()) == kBegin.size() + 16;
}

std::string violation_text(const ExaminedViolation& examined, const std::optional<std::string>& page,
                           bool colour) {
  const Violation& violation = examined.violation;
  const std::string words = examined.found ? report::text(*examined.found, {colour, false, false})
                                           : report::printable(violation.round.reason) + "\n";
  return fmt::format("violation {} of {}, after {} transactions{}\n{}\n", violation.number,
                     info(examined.level).name, violation.transactions,
                     page ? "; report: " + report::printable(*page) : "", words);
}

std::string violation_line(const ExaminedViolation& examined, const std::optional<std::string>& page) {
  const Violation& violation = examined.violation;
  ordered_json object{{"event", "violation"},
                      {"number", violation.number},
                      {"digest", fmt::format("{:016x}", violation.digest)},
                      {"level", info(examined.level).name},
                      {"transactions", violation.transactions}};
  if (examined.found) object["check"] = ordered_json::parse(report::json(*examined.found));
  if (page) object["report"] = *page;
  if (!violation.round.reason.empty()) object["reason"] = violation.round.reason;
  return line_of(object);
}

std::string note_line(const std::string& text) {
  return line_of({{"event", "note"}, {"text", text}});
}

std::string address_line(const std::string& what, const std::string& address) {
  return line_of({{"event", what}, {"address", address}});
}

std::string progress_text(Level level, const Status& s) {
  return fmt::format("{}: {} transactions, {:.0f}/s, {} kept, lag {:.1f} s, {}", info(level).name,
                     s.transactions, s.transactions_per_second, s.kept.live + s.kept.frozen, s.lag_seconds,
                     verdict_so_far(s));
}

std::string status_line(const std::string& event, Level level, const Status& s) {
  const Verdict verdict = s.violations > 0 ? Verdict::violated : s.verdict;
  ordered_json object{{"event", event},
                      {"level", info(level).name},
                      {"verdict", report::name(verdict)},
                      {"transactions", s.transactions},
                      {"committed", s.committed},
                      {"rounds", s.rounds},
                      {"violations", s.violations},
                      {"per_second", s.transactions_per_second},
                      {"live", s.kept.live},
                      {"frozen", s.kept.frozen},
                      {"entries", s.kept.entries},
                      {"waiting", s.kept.waiting},
                      {"sessions_known", s.sessions_known},
                      {"lag_seconds", s.lag_seconds},
                      {"round_seconds", s.round_seconds}};
  if (verdict == Verdict::undecided) object["reason"] = s.reason;
  return line_of(object);
}

std::string end_text(Level level, const Status& s) {
  std::string line = fmt::format("{}  {}", info(level).name, verdict_so_far(s));
  if (s.violations > 0) line += fmt::format(": {} in all", s.violations);
  if (s.violations == 0 && s.verdict == Verdict::undecided) line += ": " + report::printable(s.reason);
  return fmt::format(
      "{}; {} transactions in {} rounds{}\n", line, s.transactions, s.rounds,
      s.kept.waiting == 0 ? "" : fmt::format(", {} of them waiting for what they read", s.kept.waiting));
}

Status final_status(Status status, std::uint64_t require_committed) {
  if (status.verdict != Verdict::holds) return status;
  if (status.transactions == 0) {
    status.reason = "no transaction came";
  } else if (status.kept.waiting > 0) {
    status.reason = "not all transactions could be judged";
  } else if (status.committed == 0) {
    status.reason = "no transaction committed: nothing was tested";
  } else if (status.committed < require_committed) {
    status.reason =
        fmt::format("it holds so far, but of the {} transactions that are required to commit, {} did",
                    require_committed, status.committed);
  } else {
    return status;
  }
  status.verdict = Verdict::undecided;
  return status;
}

}  // namespace assay::watch
