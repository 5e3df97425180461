#include "check/second_opinion.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>

namespace assay::check {

namespace {

std::size_t resident_size() {
  std::ifstream statm("/proc/self/statm");
  std::size_t total = 0, resident = 0;
  statm >> total >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

bool certainly_before(std::int64_t end, std::int64_t start, std::chrono::nanoseconds drift) {
  if (end >= start) return false;
  const std::uint64_t apart = static_cast<std::uint64_t>(start) - static_cast<std::uint64_t>(end);
  return drift.count() < 0 || apart > static_cast<std::uint64_t>(drift.count());
}

std::optional<std::int64_t> finished(const History& history, Txn t) {
  return history.status(t) == Status::committed ? history.end(t) : std::nullopt;
}

Patience::Patience(const Options& options) : memory_bytes_(options.memory_bytes) {
  if (options.timeout_seconds) {
    deadline_ = std::chrono::steady_clock::now() +
                std::chrono::duration_cast<std::chrono::nanoseconds>(
                    std::chrono::duration<double>(std::min(*options.timeout_seconds, 1e9)));
  }
}

bool Patience::exhausted() {
  if (!reason_.empty()) return true;
  const std::uint32_t call = calls_++;
  if (deadline_ && call % 16 == 0 && std::chrono::steady_clock::now() >= *deadline_) {
    reason_ = "the time limit was reached";
  }
  if (memory_bytes_ && call % 1024 == 0 && resident_size() > *memory_bytes_) {
    reason_ = "the memory limit was reached";
  }
  return !reason_.empty();
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
