#include "evidence/examine.hpp"

#include <fmt/format.h>

#include <cassert>
#include <chrono>
#include <new>
#include <utility>
#include <vector>

#include "evidence/explain.hpp"
#include "history/builder.hpp"
#include "split/split.hpp"

namespace assay::evidence {

using check::Outcome;
using check::Verdict;

namespace {

std::vector<Outcome> all_undecided(std::span<const Level> levels, const std::string& reason) {
  std::vector<Outcome> outcomes(levels.size());
  for (std::size_t i = 0; i < levels.size(); ++i) {
    outcomes[i].level = levels[i];
    outcomes[i].reason = reason;
  }
  return outcomes;
}

std::vector<Outcome> decide(const History& history, std::span<const Level> levels,
                            const ExamineOptions& options) {
  try {
    return split::decide(history, levels, options.check, options.tenants);
  } catch (const std::bad_alloc&) {
    return all_undecided(levels, "out of memory");
  }
}

// What is violated stays so, however few show it.
void require(std::uint64_t required, std::uint64_t committed, std::vector<Outcome>& outcomes) {
  if (committed >= required) return;
  for (Outcome& outcome : outcomes) {
    if (outcome.verdict != Verdict::holds) continue;
    outcome.verdict = Verdict::undecided;
    outcome.reason =
        fmt::format("it holds so far, but of the {} transactions that are required to commit, {} did",
                    required, committed);
  }
}

bool is_explained(const Outcome& outcome, std::span<const Outcome> all, Explain explain) {
  if (outcome.verdict != Verdict::violated || explain == Explain::nothing) return false;
  return explain == Explain::all || refuted_by(outcome, all) == nullptr;
}

}  // namespace

Examination examine(std::shared_ptr<const History> history, std::span<const Level> levels,
                    const ExamineOptions& options) {
  assert(history != nullptr);
  Examination found;
  found.history = std::move(history);
  found.sessions = options.check.sessions;
  found.clock_drift = options.check.clock_drift;
  found.read_seconds = options.read_seconds;
  const auto started = std::chrono::steady_clock::now();
  found.outcomes = decide(*found.history, levels, options);
  const std::uint64_t tested = committed(*found.history);
  require(options.require_committed, tested, found.outcomes);
  if (tested == 0) {
    found.history = std::make_shared<const History>(
        HistoryBuilder::noted(History(*found.history), "no transaction committed: nothing was tested"));
  }
  found.check_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  if (options.decided) options.decided(found);
  if (options.check.progress) options.check.progress("explaining");
  for (const Outcome& outcome : found.outcomes) {
    if (is_explained(outcome, found.outcomes, options.explain))
      found.explanations.push_back(explain(*found.history, outcome, options.check));
  }
  return found;
}

Examination undecided(std::shared_ptr<const History> history, std::span<const Level> levels,
                      const std::string& reason, check::SessionOrder sessions) {
  assert(history != nullptr);
  Examination none;
  none.history = std::move(history);
  none.outcomes = all_undecided(levels, reason);
  none.sessions = sessions;
  return none;
}

}  // namespace assay::evidence
