// Checks what the weak checkers give as proof, by the definitions alone: whether a commit order satisfies a
// level's axiom, and whether each step of a derivation is what it says. Quadratic and worse; for small
// histories.
#pragma once

#include <string>

#include "check/check.hpp"
#include "check/outcome.hpp"
#include "check/reads.hpp"

namespace assay {

// What is wrong with the outcome's order, or with its derivation; empty if nothing.
std::string fault_in_order(const check::Reads& reads, const History& history, const check::Outcome& outcome,
                           check::SessionOrder sessions);
std::string fault_in_derivation(const check::Reads& reads, const History& history,
                                const check::Outcome& outcome, check::SessionOrder sessions);

}  // namespace assay
