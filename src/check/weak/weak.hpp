// Decides the levels whose checking is polynomial: read committed, monotonic atomic view, repeatable read,
// read atomic, causal, and the four session guarantees. Exact for every history whose reads have one writer
// each, in time close to that of reading the input; where reads have several candidate writers the question
// is NP-hard and becomes a search (attribution.hpp) that may end undecided.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "check/limits.hpp"
#include "check/options.hpp"
#include "check/reads.hpp"
#include "check/weak/attributed.hpp"
#include "check/weak/forcing.hpp"

namespace assay::check {

class AttributionSearch;

class WeakChecker {
 public:
  // Keeps references to the history and the reads.
  WeakChecker(const History& history, const Reads& reads, const Options& options, const Limits& limits = {});
  ~WeakChecker();

  static bool decides(Level level) { return level <= Level::causal; }

  // Work that levels share is done once, and a verdict on one level settles those that it implies: ask for
  // the strongest first. With `most_attributions` only what takes so few attributions of ambiguous reads is
  // decided; whatever was learned of others is known when they are asked for again.
  // REQUIRES: decides(level).
  Outcome decide(Level level) { return decide(level, limits_); }
  Outcome decide(Level level, const Limits& limits, std::optional<std::uint64_t> most_attributions = {});

  // An order of commits, and writers of the ambiguous reads, that satisfy a stronger level.
  // REQUIRES: holds.
  void take_note(const Outcome& stronger) { decided_.push_back(stronger); }

 private:
  const Outcome* settled_by_another(Level level) const;
  Outcome decide_afresh(Level level, Limits limits, std::optional<std::uint64_t> most_attributions);

  const History& history_;
  const Reads& reads_;
  Options options_;
  Limits limits_;
  std::optional<AttributedHistory> attributed_;     // once needed, if no read is ambiguous
  std::unique_ptr<AttributionSearch> attribution_;  // once needed, if some are
  std::vector<Outcome> decided_;
};

}  // namespace assay::check
