#include "check/check.hpp"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <utility>

#include "check/expand.hpp"
#include "check/in_turn.hpp"
#include "check/phase_clock.hpp"
#include "check/reads.hpp"
#include "check/strong/query/query_plan.hpp"
#include "check/weak/weak.hpp"

namespace assay::check {

namespace {

// The time limit is for the whole call.
Options rest_of(const Options& options, std::chrono::steady_clock::time_point begin) {
  Options left = options;
  if (left.timeout_seconds) {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
    left.timeout_seconds = std::max(*left.timeout_seconds - spent.count(), 0.0);
  }
  return left;
}

// REQUIRES: the history has no queries.
std::vector<Outcome> check_plain(const History& history, std::span<const Level> levels,
                                 const Options& options) {
  assert(!history.has_queries());
  const auto begin = std::chrono::steady_clock::now();
  if (options.progress) options.progress("resolving reads");
  PhaseClock clock;
  clock.enter("reads");
  const Reads reads = resolve_reads(history);
  const std::vector<Phase> resolving = clock.phases();

  std::vector<Outcome> outcomes = decide_in_turn(history, reads, levels, rest_of(options, begin));
  for (Outcome& outcome : outcomes) {
    outcome.phases.insert(outcome.phases.begin(), resolving.begin(), resolving.end());
  }
  return outcomes;
}

// Whether somebody of whom the client never learned can have left what a query saw in place of a row that it
// did not return. Reads of rows do not tell.
bool fates_are_open(const History& history, const Reads& reads) {
  for (const Txn t : history.all_transactions()) {
    if (history.status(t) != Status::unknown || reads.presence(t) == Presence::present) continue;
    for (const Op op : history.operations_of(t)) {
      if (writes(history.kind(op))) return true;
    }
  }
  return false;
}

// Prefix and stronger, by refinement (strong/refine.hpp). Leaves in `levels` what that does not settle.
std::vector<Outcome> refine_queries(const History& history, std::vector<Level>& levels,
                                    const Options& options) {
  std::vector<Level> strong, open;
  for (const Level level : levels) {
    (implies(level, Level::prefix) && options.method == Method::automatic ? strong : open).push_back(level);
  }
  const bool only_for_weak = strong.empty() && options.method == Method::automatic;
  // A serial order, for which the engine needs no choice of what a query saw instead of a row, satisfies the
  // weak levels too; so it is looked for first.
  const bool serial_helps = std::any_of(open.begin(), open.end(), [](Level level) {
    return WeakChecker::decides(level) && implies(Level::serializable, level);
  });
  const auto asked = [&](Level level) {
    return std::find(strong.begin(), strong.end(), level) != strong.end();
  };
  const bool serializable_unasked =
      options.method == Method::automatic && serial_helps && !asked(Level::serializable);
  if (serializable_unasked) strong.push_back(Level::serializable);
  if (strong.empty() || (only_for_weak && !serial_helps)) return {};
  if (options.progress) options.progress("resolving reads");
  PhaseClock clock;
  clock.enter("reads");
  const Reads reads = resolve_reads(history, {}, QueryReads::returned_rows);
  clock.enter("queries");
  const QueryPlan plan(history);
  const std::vector<Phase> before = clock.phases();
  const bool conclusive = !fates_are_open(history, reads) || !reads.bad_reads().empty();
  std::vector<Outcome> settled;
  for (Outcome& outcome : decide_in_turn(history, reads, strong, options, &plan)) {
    outcome.phases.insert(outcome.phases.begin(), before.begin(), before.end());
    if (outcome.level == Level::serializable && outcome.verdict == Verdict::holds) {
      std::erase_if(open, [&](Level level) {
        if (!implies(Level::serializable, level)) return false;
        settled.push_back(outcome);
        settled.back().level = level;
        settled.back().method = "implied";
        return true;
      });
    }
    if (outcome.level == Level::serializable && serializable_unasked) continue;
    if (outcome.verdict == Verdict::violated && !conclusive) {
      open.push_back(outcome.level);
    } else {
      settled.push_back(std::move(outcome));
    }
  }
  levels = std::move(open);
  return settled;
}

// Where refinement does not settle a level, each query becomes a read of every key that it asks for. Repeatable
// read takes less from a query than the others do (expand.hpp).
std::vector<Outcome> check_with_queries(const History& history, std::span<const Level> levels,
                                        const Options& options) {
  const auto begin = std::chrono::steady_clock::now();
  const auto rest = [&] { return rest_of(options, begin); };
  std::vector<Outcome> outcomes(levels.size());
  const auto note = [&](const Outcome& outcome) {
    for (std::size_t i = 0; i < levels.size(); ++i) {
      if (levels[i] == outcome.level) outcomes[i] = outcome;
    }
  };
  std::vector<Level> open(levels.begin(), levels.end());
  for (const Outcome& outcome : refine_queries(history, open, rest())) note(outcome);
  for (const NotReturned not_returned : {NotReturned::is_read, NotReturned::says_nothing}) {
    std::vector<Level> alike;
    for (const Level level : open) {
      if (what_is_not_returned(level) == not_returned) alike.push_back(level);
    }
    if (alike.empty()) continue;
    if (options.progress) options.progress("taking queries apart");
    const Expanded expanded = expand_queries(
        history, not_returned,
        options.memory_bytes ? most_expanded_reads(*options.memory_bytes) : kMostExpandedReads);
    for (Outcome& outcome : check_plain(expanded.history, alike, rest())) {
      for (BadRead& bad : outcome.bad_reads) speak_of_the_original(bad, expanded);
      note(outcome);
    }
  }
  return outcomes;
}

}  // namespace

std::vector<Outcome> check(const History& history, std::span<const Level> levels, const Options& options) {
  return history.has_queries() ? check_with_queries(history, levels, options)
                               : check_plain(history, levels, options);
}

Outcome check(const History& history, const Reads& reads, Level level, const Options& options) {
  return std::move(decide_in_turn(history, reads, std::span(&level, 1), options).front());
}

std::optional<Level> strongest(std::span<const Outcome> outcomes) {
  std::optional<Level> best;
  for (const Outcome& outcome : outcomes) {
    if (outcome.verdict == Verdict::holds && (!best || implies(outcome.level, *best))) best = outcome.level;
  }
  return best;
}

}  // namespace assay::check
