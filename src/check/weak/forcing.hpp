// The weak axioms of docs/levels.md, each as the set of commit orders that it forces. All have one shape
// (Biswas and Enea 2019, section 2.2): if t3 reads x from t1, and t2 writes x too and is visible to t3, then
// t2 commits before t1; they differ in what is visible. None mentions the commit order in its premise, so a
// history satisfies the level iff no forced order leads before the initial transaction and all of them
// together with session order and reads-from are acyclic.
//
// Each function gives a subset of the axiom's instances whose transitive closure, with session order and
// reads-from, contains all of them (proofs: docs/engine-weak.md).
#pragma once

#include <cstddef>

#include "check/limits.hpp"
#include "check/weak/attributed.hpp"
#include "check/weak/forced_orders.hpp"

namespace assay::check {

// What the level's axiom forces, by the functions below. False if a limit was reached. Not for repeatable read,
// whose orders are no commit orders. REQUIRES: as force_causal().
bool force_axiom(const AttributedHistory& history, Level level, ForcedOrders& forced, Limits& limits);

void force_read_committed(const AttributedHistory& history, ForcedOrders& forced);
// The same where several reads can be of one moment, none before the other.
void force_read_committed_by_moments(const AttributedHistory& history, ForcedOrders& forced);
void force_repeatable_read(const AttributedHistory& history, ForcedOrders& forced);
void force_read_atomic(const AttributedHistory& history, ForcedOrders& forced);
// What the clocks of the causal sweep may take together before it splits the work into passes.
inline constexpr std::size_t kClockBytes = std::size_t{400} << 20;
// False if a limit was reached. REQUIRES: session order and reads-from are acyclic.
bool force_causal(const AttributedHistory& history, ForcedOrders& forced, Limits& limits,
                  std::size_t clock_bytes = kClockBytes);

void force_read_your_writes(const AttributedHistory& history, ForcedOrders& forced);
void force_monotonic_reads(const AttributedHistory& history, ForcedOrders& forced);
void force_monotonic_writes(const AttributedHistory& history, ForcedOrders& forced);
void force_writes_follow_reads(const AttributedHistory& history, ForcedOrders& forced);

}  // namespace assay::check
