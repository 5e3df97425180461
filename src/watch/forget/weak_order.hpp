// The order of commits that a weak level forces on what is kept and what has arrived, together with what is
// known from transactions that are gone. All weak axioms have one shape (docs/levels.md): who is visible to a
// reader and overwritten by what it read commits before the writer of that. Which orders this forces depends
// on session order and reads-from alone, never on the order of commits itself; so the level holds iff all of
// them together are acyclic, and what is known of a transaction that leaves is a clock.
#pragma once

#include <vector>

#include "check/reads.hpp"
#include "order/graph.hpp"
#include "watch/assembly.hpp"
#include "watch/keep/state.hpp"

namespace assay::watch {

struct WeakOrder {
  std::vector<std::uint32_t> positions;  // per transaction: its place in its session
  // Per transaction, itself not counted: what precedes it by session order and reads-from (at causal only),
  // and what must commit before it.
  std::vector<VectorClock> visible, before;
  std::vector<order::Edge> edges;  // from which `before` follows
  std::vector<Txn> cycle;          // not empty: a contradiction, and no `before`

  bool sees(const History& h, Txn later, Txn earlier) const {
    return positions[index(earlier)] < visible[index(later)][index(h.session_of(earlier))];
  }
  bool precedes(const History& h, Txn a, Txn b) const {
    return positions[index(a)] < before[index(b)][index(h.session_of(a))];
  }
};

// REQUIRES: the level keeps the order of commits or of visibility (level_rules.hpp), no read is ambiguous or
// bad, and what is here would satisfy the level if nothing had been dropped.
WeakOrder weak_order(const State& state, const Assembly& assembly, const check::Reads& reads);

}  // namespace assay::watch
