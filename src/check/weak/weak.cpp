#include "check/weak/weak.hpp"

#include <cassert>

#include "check/weak/attribution.hpp"
#include "check/weak/commit_order.hpp"
#include "check/weak/likely_writers.hpp"

namespace assay::check {

namespace {

std::vector<Event> events(const std::vector<Txn>& order) {
  std::vector<Event> result;
  result.reserve(order.size());
  for (const Txn t : order) result.push_back({t});
  return result;
}

}  // namespace

WeakChecker::WeakChecker(const History& history, const Reads& reads, const Options& options,
                         const Limits& limits)
    : history_(history), reads_(reads), options_(options), limits_(limits) {}

WeakChecker::~WeakChecker() = default;

// An order that satisfies a stronger level satisfies this one; and an instance of a weaker level's axiom is
// one of this level's axiom, so its contradictions are contradictions here.
const Outcome* WeakChecker::settled_by_another(Level level) const {
  for (const Outcome& other : decided_) {
    if (other.verdict == Verdict::holds && implies(other.level, level)) return &other;
    if (other.verdict == Verdict::violated && implies(level, other.level)) return &other;
  }
  return nullptr;
}

Outcome WeakChecker::decide(Level level, const Limits& limits,
                            std::optional<std::uint64_t> most_attributions) {
  assert(decides(level));
  Outcome outcome;
  if (!reads_.bad_reads().empty()) {
    outcome.level = level;
    outcome.verdict = Verdict::violated;
    outcome.method = "reads";
    outcome.bad_reads.assign(reads_.bad_reads().begin(), reads_.bad_reads().end());
    return outcome;
  }
  if (const Outcome* other = settled_by_another(level)) {
    outcome = *other;
    outcome.method = "implied";
  } else {
    outcome = decide_afresh(level, limits, most_attributions);
    outcome.level = level;
    if (outcome.verdict != Verdict::undecided) decided_.push_back(outcome);
  }
  outcome.level = level;
  if (outcome.verdict == Verdict::holds && !reads_.not_understood().empty()) {
    outcome.verdict = Verdict::undecided;
    outcome.reason = reads_.not_understood();
    outcome.order.clear();
    outcome.choices.clear();
  }
  return outcome;
}

Outcome WeakChecker::decide_afresh(Level level, Limits limits,
                                   std::optional<std::uint64_t> most_attributions) {
  if (options_.progress) options_.progress(info(level).name);
  if (limits.exceeded_now()) {
    Outcome outcome;
    outcome.reason = limits.reason();
    return outcome;
  }
  if (reads_.ambiguous_sets() != 0) {
    if (!attribution_)
      attribution_ = std::make_unique<AttributionSearch>(history_, reads_, options_.sessions,
                                                         likely_writers(history_, reads_));
    return attribution_->decide(level, limits, most_attributions);
  }
  if (!attributed_)
    attributed_.emplace(history_, reads_, options_.sessions, std::span<const std::uint32_t>{});
  Outcome outcome;
  CommitOrder found = find_commit_order(*attributed_, level, limits);
  outcome.verdict = found.verdict;
  outcome.method = "axiom";
  outcome.counts.push_back({"forced orders", found.forced});
  if (found.verdict == Verdict::undecided) outcome.reason = limits.reason();
  if (found.verdict == Verdict::holds) outcome.order = events(found.order);
  if (found.verdict == Verdict::violated) {
    outcome.derivation = std::move(found.contradictions[0].derivation);
  }
  return outcome;
}

}  // namespace assay::check
