#include "check/check.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <thread>

#include "check/expand.hpp"
#include "check/fates.hpp"
#include "check/limits.hpp"
#include "check/phase_clock.hpp"
#include "check/reads.hpp"
#include "check/sat.hpp"
#include "check/strong.hpp"
#include "check/weak.hpp"
#include "check/width.hpp"

namespace assay::check {

namespace {

Outcome decide_one_strong(const History& history, const Reads& reads, Level level, const Options& options,
                          const Limits& limits) {
  switch (options.method) {
    case Method::width:
      return decide_by_width(history, reads, level, options);
    case Method::sat:
      return decide_by_sat(history, reads, level, options);
    case Method::automatic:
      break;
  }
  Limits own = limits;  // what was asked of one thread is not another's business
  return decide_fates(history, reads,
                      [&](const Reads& r) { return decide_strong(history, r, level, options, own); });
}

// REQUIRES: the history has no queries.
std::vector<Outcome> check_plain(const History& history, std::span<const Level> levels,
                                 const Options& options) {
  const Limits limits(options.timeout_seconds, options.memory_bytes);
  if (options.progress) options.progress("resolving reads");
  PhaseClock clock;
  clock.enter("reads");
  const Reads reads = resolve_reads(history);
  const std::vector<Phase> resolving = clock.phases();

  // Independent tasks: each strong level, and the weak levels together, which share most of their work. The
  // strongest weak level comes first, because a verdict on it settles those that it implies.
  std::vector<Outcome> outcomes(levels.size());
  std::vector<std::vector<std::size_t>> tasks;
  std::vector<std::size_t> weak;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    if (WeakChecker::decides(levels[i])) {
      weak.push_back(i);
    } else {
      tasks.push_back({i});
    }
  }
  std::stable_sort(weak.begin(), weak.end(),
                   [&](std::size_t a, std::size_t b) { return levels[a] > levels[b]; });
  if (!weak.empty()) tasks.push_back(weak);

  const auto perform = [&](const std::vector<std::size_t>& task) {
    if (!WeakChecker::decides(levels[task.front()])) {
      outcomes[task.front()] = decide_one_strong(history, reads, levels[task.front()], options, limits);
      return;
    }
    WeakChecker checker(history, reads, options, limits);
    for (const std::size_t i : task) outcomes[i] = checker.decide(levels[i]);
  };
  const std::size_t threads =
      std::clamp<std::size_t>(options.threads, 1, std::max<std::size_t>(tasks.size(), 1));
  std::atomic<std::size_t> next = 0;
  std::vector<std::exception_ptr> failures(tasks.size());
  const auto work = [&] {
    for (std::size_t i = next++; i < tasks.size(); i = next++) {
      try {
        perform(tasks[i]);
      } catch (...) {
        failures[i] = std::current_exception();
      }
    }
  };
  {
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < threads; ++i) others.emplace_back(work);
    work();
  }
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
  for (Outcome& outcome : outcomes) {
    outcome.phases.insert(outcome.phases.begin(), resolving.begin(), resolving.end());
  }
  return outcomes;
}

// What a query did not return can leave the weak levels more to choose from than they can try. A serial
// order, for which the engine needs no such choice, satisfies them all.
void settle_by_a_serial_order(const History& history, std::span<Outcome> outcomes, const Options& options) {
  const auto is_open = [](const Outcome& outcome) {
    return outcome.verdict == Verdict::undecided && !outcome.reason.empty() &&
           WeakChecker::decides(outcome.level) && implies(Level::serializable, outcome.level);
  };
  if (std::none_of(outcomes.begin(), outcomes.end(), is_open)) return;
  const std::array<Level, 1> serializable{Level::serializable};
  const Outcome serial = std::move(check_plain(history, serializable, options)[0]);
  if (serial.verdict != Verdict::holds) return;
  for (Outcome& outcome : outcomes) {
    if (!is_open(outcome)) continue;
    outcome.verdict = Verdict::holds;
    outcome.reason.clear();
    outcome.method = "implied";
    outcome.order = serial.order;
  }
}

// Repeatable read takes less from a query than the others do (expand.hpp).
std::vector<Outcome> check_with_queries(const History& history, std::span<const Level> levels,
                                        const Options& options) {
  std::vector<Outcome> outcomes(levels.size());
  for (const NotReturned not_returned : {NotReturned::is_read, NotReturned::says_nothing}) {
    std::vector<Level> alike;
    for (const Level level : levels) {
      if (what_is_not_returned(level) == not_returned) alike.push_back(level);
    }
    if (alike.empty()) continue;
    if (options.progress) options.progress("taking queries apart");
    const Expanded expanded = expand_queries(
        history, not_returned,
        options.memory_bytes ? most_expanded_reads(*options.memory_bytes) : kMostExpandedReads);
    std::vector<Outcome> found = check_plain(expanded.history, alike, options);
    std::size_t next = 0;
    for (std::size_t i = 0; i < levels.size(); ++i) {
      if (what_is_not_returned(levels[i]) != not_returned) continue;
      outcomes[i] = std::move(found[next++]);
      for (BadRead& bad : outcomes[i].bad_reads) speak_of_the_original(bad, expanded);
    }
    if (not_returned == NotReturned::is_read) settle_by_a_serial_order(expanded.history, outcomes, options);
  }
  return outcomes;
}

}  // namespace

std::vector<Outcome> check(const History& history, std::span<const Level> levels, const Options& options) {
  return has_queries(history) ? check_with_queries(history, levels, options)
                              : check_plain(history, levels, options);
}

std::optional<Level> strongest(std::span<const Outcome> outcomes) {
  std::optional<Level> best;
  for (const Outcome& outcome : outcomes) {
    if (outcome.verdict == Verdict::holds && (!best || implies(outcome.level, *best))) best = outcome.level;
  }
  return best;
}

}  // namespace assay::check
