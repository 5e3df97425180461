// Explains a contradiction at a weak level in steps that a person can follow: the cycle of orders, and for
// each order that an axiom forces the read and the visible write that force it. Works from the definition of
// the level alone, not from the algorithm that found the contradiction.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "check/outcome.hpp"
#include "check/weak/attributed.hpp"

namespace assay::check {

struct Explanation {
  Derivation derivation;
  // What of the attribution it rests on: the ambiguous reads in it (read numbers), and the transactions of
  // unknown fate that count only because they were chosen.
  std::vector<std::uint32_t> ambiguous_reads;
  std::vector<Txn> conditional;

  // Whatever else is attributed.
  bool is_certain() const { return ambiguous_reads.empty() && conditional.empty(); }
};

// REQUIRES: from each transaction to the next, and from the last to the first, there is session order,
// reads-from, a version order or an order that the level's axiom forces.
Explanation explain_cycle(const AttributedHistory& history, Level level, std::span<const Txn> cycle);

// REQUIRES: the level's axiom forces t before the initial transaction.
Explanation explain_before_initial(const AttributedHistory& history, Level level, Txn t);

}  // namespace assay::check
