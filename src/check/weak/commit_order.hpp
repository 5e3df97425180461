// Decides one attributed history at one weak level, exactly: a commit order that satisfies the axiom, or the
// contradictions that rule every order out.
#pragma once

#include <cstdint>
#include <vector>

#include "check/weak/attributed.hpp"
#include "check/weak/forcing.hpp"
#include "check/weak/weak_evidence.hpp"

namespace assay::check {

struct CommitOrder {
  Verdict verdict = Verdict::undecided;  // undecided only if a limit was reached
  // holds: all that are present, in commit order. Repeatable read, which asks for no order, holds without one
  // where session order and reads-from contradict each other.
  std::vector<Txn> order;
  std::vector<Explanation> contradictions;  // violated: at least one
  std::uint64_t forced = 0;                 // how many orders the axiom forced
};

// At most `contradictions` are explained, none after one that rests on no choice; a single one is a shortest.
CommitOrder find_commit_order(const AttributedHistory& history, Level level, Limits& limits,
                              std::size_t contradictions = 1);

}  // namespace assay::check
