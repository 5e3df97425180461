#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "history/query_counts.hpp"
#include "report/printable.hpp"
#include "report/report.hpp"
#include "report/selection.hpp"
#include "report/sentence.hpp"
#include "report/words/counted.hpp"

namespace assay::report {

using check::Outcome;
using check::Verdict;
using evidence::Examination;
using evidence::refuted_by;

namespace {

constexpr std::string_view kReset = "\x1b[0m";

std::string_view colour_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::holds:
      return "\x1b[32m";
    case Verdict::violated:
      return "\x1b[31m";
    case Verdict::undecided:
      return "\x1b[33m";
  }
  return "";
}

std::string painted(Verdict verdict, bool colour) {
  if (!colour) return std::string(name(verdict));
  return fmt::format("{}{}{}", colour_of(verdict), name(verdict), kReset);
}

std::string heading(const History& history) {
  return fmt::format("{}: {} in {}, {} on {} ({})\n", printable(history.path()),
                     counted(history.transactions(), "transaction"), counted(history.sessions(), "session"),
                     counted(history.operations(), "operation"), counted(history.keys(), "key"),
                     printable(history.format()));
}

std::string notes(const History& history) {
  std::string out;
  // Whoever reads the verdict should know what it rests on.
  if (const QueryCounts queries = count_queries(history); queries.not_understood + queries.learned != 0) {
    out += fmt::format("of {}, {} understood, {} known by identity, {} told as rows, {} not understood\n",
                       queries.all == 1 ? "1 query" : fmt::format("{} queries", queries.all),
                       queries.evaluated, queries.learned, queries.rows, queries.not_understood);
  }
  for (const std::string& note : history.notes()) out += "note: " + printable(note) + "\n";
  return out;
}

std::string seconds(double value) {
  return value < 0.01 ? fmt::format("{:.2f} ms", value * 1e3) : fmt::format("{:.2f} s", value);
}

std::string megabytes(std::size_t bytes) {
  return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

std::string work_of(const Outcome& outcome) {
  std::string out = fmt::format("  {}{}\n", info(outcome.level).name,
                                outcome.method.empty() ? "" : fmt::format(", decided by {}", outcome.method));
  for (const check::Phase& phase : outcome.phases) {
    out += fmt::format("    {:<24} {:>10}", phase.name, seconds(phase.seconds));
    if (phase.peak_bytes != 0) out += fmt::format(" {:>12}", megabytes(phase.peak_bytes));
    out += "\n";
  }
  for (const check::Count& count : outcome.counts)
    out += fmt::format("    {:<24} {:>10}\n", count.name, count.value);
  return out;
}

}  // namespace

std::string_view name(Verdict verdict) {
  switch (verdict) {
    case Verdict::holds:
      return "holds";
    case Verdict::violated:
      return "violated";
    case Verdict::undecided:
      return "undecided";
  }
  return "";
}

std::string_view name(OpKind kind) {
  switch (kind) {
    case OpKind::read:
      return "read";
    case OpKind::write:
      return "write";
    case OpKind::insert:
      return "insert";
    case OpKind::erase:
      return "delete";
    case OpKind::append:
      return "append";
    case OpKind::list_read:
      return "list-read";
    case OpKind::predicate_read:
      return "predicate-read";
    case OpKind::range_read:
      return "range-read";
    case OpKind::rows_read:
      return "rows-read";
  }
  return "";
}

std::string text(const Examination& examination, const TextStyle& style) {
  const History& history = *examination.history;
  std::string out = heading(history) + notes(history);
  if (examination.sessions == check::SessionOrder::ignore)
    out += "note: the order of transactions in a session is ignored\n";

  std::size_t width = 0;
  for (const Outcome& outcome : examination.outcomes)
    width = std::max(width, info(outcome.level).name.size());
  for (const Outcome& outcome : examination.outcomes) {
    out += fmt::format("{:<{}}  {}", info(outcome.level).name, width, painted(outcome.verdict, style.colour));
    if (outcome.verdict == Verdict::undecided && !outcome.reason.empty())
      out += ": " + printable(outcome.reason);
    if (outcome.verdict == Verdict::violated) {
      const Outcome* weaker = refuted_by(outcome, examination.outcomes);
      if (weaker != nullptr) out += fmt::format(", since {} is", info(weaker->level).name);
    }
    out += "\n";
  }
  if (style.strongest) {
    const std::vector<Level> levels = strongest_levels(examination.outcomes);
    out += fmt::format("strongest {} that hold{}: {}\n", levels.size() > 1 ? "levels" : "level",
                       levels.size() > 1 ? "" : "s", levels.empty() ? "none" : listed(levels));
  }
  for (const auto& [outcome, also] : worth_explaining(examination)) {
    out += "\n";
    if (outcome->bad_reads.empty()) {  // bad reads violate every level alike
      out += fmt::format("Why {} is violated{}. It promises:\n  {}\n", info(outcome->level).name,
                         also.empty() ? "" : fmt::format(" (by this anomaly also {})", listed(also)),
                         info(outcome->level).promise);
    }
    out += explanation(history, *outcome, story_of(examination, outcome->level));
  }
  if (style.statistics) {
    out +=
        fmt::format("\nread in {}, decided in {}; the history takes {}\n", seconds(examination.read_seconds),
                    seconds(examination.check_seconds), megabytes(history.resident_bytes()));
    for (const Outcome& outcome : examination.outcomes) out += work_of(outcome);
  }
  return out;
}

std::string in_short(const Examination& examination, const Outcome& outcome) {
  if (outcome.verdict == Verdict::holds) return "";
  if (outcome.verdict == Verdict::undecided)
    return outcome.reason.empty() ? "" : ": " + printable(outcome.reason);
  if (const Outcome* weaker = refuted_by(outcome, examination.outcomes))
    return fmt::format(", since {} is", info(weaker->level).name);
  if (const auto story = story_of(examination, outcome.level))
    return fmt::format(": {}", info(story->counterexample.anomaly).title);
  if (outcome.bad_reads.empty()) return "";
  return ": " + sentence(*examination.history, outcome.bad_reads.front());
}

std::string brief(const Examination& examination) {
  const auto& outcomes = examination.outcomes;
  std::vector<std::string> parts;
  for (const Outcome& outcome : outcomes) {
    const bool told = outcomes.size() == 1 ||
                      (outcome.verdict != Verdict::holds && refuted_by(outcome, outcomes) == nullptr);
    if (!told) continue;
    const std::string_view level = outcomes.size() == 1 ? "" : info(outcome.level).name;
    parts.push_back(fmt::format("{}{}{}{}", level, level.empty() ? "" : " ", name(outcome.verdict),
                                in_short(examination, outcome)));
  }
  const std::vector<Level> strongest = strongest_levels(outcomes);
  if (!strongest.empty() && outcomes.size() > 1)
    parts.push_back(fmt::format("{} hold{}", listed(strongest), strongest.size() > 1 ? "" : "s"));
  if (!strongest.empty() && evidence::committed(*examination.history) == 0)
    parts.emplace_back("nothing was tested: no transaction committed");
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::string text(const History& history, const Statistics& s) {
  std::string out = heading(history) + notes(history);
  const auto line = [&](std::string_view what, const std::string& value) {
    out += fmt::format("{:<18}{}\n", what, value);
  };
  line("sessions", fmt::format("{} (longest: {})", s.sessions, counted(s.longest_session, "transaction")));
  line("transactions",
       fmt::format("{} committed, {} aborted, {} of unknown fate", s.committed, s.aborted, s.unknown));
  line("operations",
       fmt::format("{} ({:.1f} per transaction, at most {})", s.operations,
                   s.transactions == 0 ? 0.0 : static_cast<double>(s.operations) / s.transactions,
                   s.most_operations));
  for (std::size_t kind = 0; kind < kOpKinds; ++kind) {
    if (s.by_kind[kind] == 0) continue;
    line(fmt::format("  {}", name(static_cast<OpKind>(kind))),
         fmt::format("{} ({:.1f} %)", s.by_kind[kind], 100.0 * s.by_kind[kind] / s.operations));
  }
  line("keys", fmt::format("{}", s.keys));
  for (const HotKey& hot : s.hot_keys) {
    line(fmt::format("  {}", printable(history.name(hot.key))),
         fmt::format("{} ({:.1f} %)", counted(hot.operations, "operation"), 100.0 * hot.share));
  }
  line("values", fmt::format("{} distinct, {} written more than once", s.versions, s.repeated_values));
  line("reads", fmt::format("{} of the initial state, {} of a value with several writers", s.reads_of_initial,
                            s.ambiguous_reads));
  if (s.concurrency) {
    line("concurrency",
         fmt::format("{:.1f} running on average, at most {}", s.concurrency->mean, s.concurrency->most));
    line("time span", seconds(static_cast<double>(s.concurrency->span_nanoseconds) / 1e9));
  }
  line("memory",
       fmt::format("{}, {:.1f} bytes per operation", megabytes(s.resident_bytes), s.bytes_per_operation()));
  return out;
}

}  // namespace assay::report
