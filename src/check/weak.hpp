// Decides the levels whose checking is polynomial: read committed, monotonic atomic view, repeatable read,
// read atomic, causal, and the four session guarantees. Exact for every history whose reads have one writer
// each, in time close to that of reading the input; where reads have several candidate writers the question
// is NP-hard and becomes a search (attribution.hpp) that may end undecided.
#pragma once

#include <optional>
#include <vector>

#include "check/attributed.hpp"
#include "check/axioms.hpp"
#include "check/check.hpp"
#include "check/limits.hpp"
#include "check/reads.hpp"

namespace assay::check {

class WeakChecker {
 public:
  // Keeps references to the history and the reads.
  WeakChecker(const History& history, const Reads& reads, const Options& options, const Limits& limits = {});

  static bool decides(Level level) { return level <= Level::causal; }

  // Work that levels share is done once, and a verdict on one level settles those that it implies: ask for
  // the strongest first. REQUIRES: decides(level).
  Outcome decide(Level level);

 private:
  const Outcome* settled_by_another(Level level) const;
  Outcome decide_afresh(Level level);

  const History& history_;
  const Reads& reads_;
  Options options_;
  Limits limits_;
  std::optional<AttributedHistory> attributed_;  // once needed, if no read is ambiguous
  std::vector<Outcome> decided_;
};

}  // namespace assay::check
