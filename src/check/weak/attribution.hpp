// Reads with several candidate writers: is there an attribution, one writer per read, with which the level
// holds? NP-hard in general, so a search: a SAT solver proposes an attribution, the polynomial check looks
// at it, and each contradiction becomes a clause over just the choices that it rests on. Ends when an
// attribution passes, when the clauses contradict each other (then none can), or when the effort is spent.
#pragma once

#include <cstdint>
#include <span>

#include "check/options.hpp"
#include "check/reads.hpp"
#include "check/weak/forcing.hpp"

namespace assay::check {

// `likely` is where the search begins: for each ambiguous read, by transaction and then in program order, the
// place of a candidate. REQUIRES: some read is ambiguous.
Outcome search_attribution(const History& history, const Reads& reads, SessionOrder sessions, Level level,
                           std::span<const std::uint32_t> likely, Limits& limits);

}  // namespace assay::check
