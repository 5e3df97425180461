// Tells why a set of transactions cannot be ordered: everything that follows by force, and where force is not
// enough a split into cases. Meant for the few transactions that a search found to be at fault; the result
// speaks of the whole history's transactions and keys.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "check/limits.hpp"
#include "check/outcome.hpp"
#include "check/strong/forced.hpp"
#include "check/strong/problem.hpp"

namespace assay::check {

// Derives a contradiction from the history restricted to `core` (sorted). nullopt if there is none, or if it
// takes more cases than a person would read.
std::optional<Derivation> derive_contradiction(const Question& question, std::span<const Txn> core,
                                               Limits& limits);

// The cycle that forced edges ended in, with the steps that it rests on.
Derivation tell_cycle(const Problem& problem, const Forced& forced);

}  // namespace assay::check
