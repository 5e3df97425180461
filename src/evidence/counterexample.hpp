// The smallest part of a history that still violates a level. A sub-history (history/sub_history.hpp) only
// has fewer constraints than the whole, so a part that violates the level proves that the whole does; and
// since that is monotone, trying to leave out each transaction once gives a part of which none can be left
// out.
#pragma once

#include <vector>

#include "check/check.hpp"
#include "check/outcome.hpp"
#include "evidence/anomaly.hpp"
#include "history/history.hpp"

namespace assay::evidence {

struct Counterexample {
  Anomaly anomaly = Anomaly::unnamed_cycle;
  std::vector<Txn> transactions;  // that already violate the level, sorted
  bool minimal = false;           // none of them can be left out (not known where the effort was too much)
  // Why they do: a read that no level allows, or a derivation. Neither if none was found that is short
  // enough.
  std::vector<check::BadRead> bad_reads;
  check::Derivation derivation;  // complete: its cases exhaust what is open; steps name their reads
};

// REQUIRES: `outcome` is what check() said of this history with these options, and it is "violated".
Counterexample find_counterexample(const History& history, const check::Outcome& outcome,
                                   const check::Options& options);

}  // namespace assay::evidence
