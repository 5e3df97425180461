#include "check/strong.hpp"

#include "check/problem.hpp"
#include "check/schedule.hpp"
#include "check/search.hpp"

namespace assay::check {

namespace {

std::chrono::nanoseconds clock_drift(const History& history, const Options& options) {
  if (options.clock_drift) return *options.clock_drift;
  return history.clocks() == Clocks::one ? std::chrono::nanoseconds(0) : std::chrono::milliseconds(100);
}

void tell_order(const Problem& problem, std::span<const Node> order, Outcome& outcome) {
  outcome.order.reserve(order.size());
  for (const Node u : order) {
    if (!problem.is_event(u) || problem.reads.presence(problem.txn_of(u)) == Presence::absent) continue;
    outcome.order.push_back(
        {problem.txn_of(u), problem.is_commit(u) ? Event::Side::commit : Event::Side::begin});
  }
}

}  // namespace

Outcome decide_strong(const History& history, const Reads& reads, Level level, const Options& options,
                      Limits& limits) {
  Outcome outcome;
  outcome.level = level;
  if (!reads.bad_reads().empty()) {
    outcome.verdict = Verdict::violated;
    outcome.bad_reads.assign(reads.bad_reads().begin(), reads.bad_reads().end());
    return outcome;
  }
  const Problem problem(history, reads, strong_level(level), options.sessions == SessionOrder::keep,
                        clock_drift(history, options));
  Schedule schedule = run_greedily(problem);
  outcome.counts.push_back({"forced", schedule.forced});
  if (schedule.known_cycle) {
    outcome.verdict = Verdict::violated;
    return outcome;
  }
  if (schedule.forced == 0 && reads.not_understood().empty()) {
    outcome.verdict = Verdict::holds;
    outcome.method = "schedule";
    tell_order(problem, schedule.order, outcome);
    return outcome;
  }
  const SearchResult found = search(problem, schedule.order, {}, limits);
  outcome.counts.push_back({"decisions", found.stats.decisions});
  outcome.counts.push_back({"conflicts", found.stats.conflicts});
  outcome.counts.push_back({"repairs", found.stats.repairs});
  outcome.counts.push_back({"steps", found.stats.steps});
  outcome.method = "search";
  switch (found.answer) {
    case SearchResult::Answer::satisfiable:
      outcome.verdict = Verdict::holds;
      tell_order(problem, found.order, outcome);
      break;
    case SearchResult::Answer::unsatisfiable:
      outcome.verdict = Verdict::violated;
      break;
    case SearchResult::Answer::gave_up:
      outcome.reason = limits.reason();
      break;
  }
  return outcome;
}

}  // namespace assay::check
