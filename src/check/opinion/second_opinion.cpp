#include "check/opinion/second_opinion.hpp"

#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <fstream>

namespace assay::check {

bool certainly_before(std::int64_t end, std::int64_t start, std::chrono::nanoseconds drift) {
  if (end >= start) return false;
  const std::uint64_t apart = static_cast<std::uint64_t>(start) - static_cast<std::uint64_t>(end);
  return drift.count() < 0 || apart > static_cast<std::uint64_t>(drift.count());
}

std::optional<std::int64_t> finished(const History& history, Txn t) {
  return history.status(t) == Status::committed ? history.end(t) : std::nullopt;
}

std::optional<Outcome> answer_without_search(const History& history, const Reads& reads, Level level,
                                             const Options& options) {
  if (!reads.bad_reads().empty()) {
    Outcome outcome = violated_by(level, "reads");
    outcome.bad_reads.assign(reads.bad_reads().begin(), reads.bad_reads().end());
    return outcome;
  }
  if (!implies(level, Level::prefix)) {
    return undecided(level, "this method decides prefix and the levels above it only");
  }
  // Leaving out reads that are not understood keeps "violated" sound, but lists that are not understood give
  // orders of their writers that may be wrong.
  if (!reads.not_understood().empty() && !reads.version_orders().empty()) {
    return undecided(level, reads.not_understood());
  }
  if (event_rules(history, level, options).real_time && !history.has_times()) {
    return undecided(level, "the history has no times");
  }
  return std::nullopt;
}

EventRules event_rules(const History& history, Level level, const Options& options) {
  assert(implies(level, Level::prefix));
  const bool serial = implies(level, Level::serializable);
  const std::chrono::nanoseconds usual =
      history.clocks() == Clocks::one ? std::chrono::nanoseconds{0} : std::chrono::milliseconds{100};
  return {.one_event = serial,
          .disjoint = !serial && implies(level, Level::snapshot_isolation),
          .real_time = info(level).real_time,
          .keep_session = options.sessions == SessionOrder::keep,
          .drift = options.clock_drift.value_or(usual)};
}

Outcome holds_by(Level level, const Reads& reads, std::string_view method, std::vector<Event> order) {
  if (!reads.not_understood().empty()) return undecided(level, reads.not_understood());
  Outcome outcome;
  outcome.level = level;
  outcome.verdict = Verdict::holds;
  outcome.method = method;
  outcome.order = std::move(order);
  return outcome;
}

Outcome violated_by(Level level, std::string_view method) {
  Outcome outcome;
  outcome.level = level;
  outcome.verdict = Verdict::violated;
  outcome.method = method;
  return outcome;
}

Outcome undecided(Level level, std::string reason) {
  Outcome outcome;
  outcome.level = level;
  outcome.verdict = Verdict::undecided;
  outcome.reason = std::move(reason);
  return outcome;
}

}  // namespace assay::check
