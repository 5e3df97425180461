// A verdict with its proof, as a text that verify.hpp checks against the history and that a person can read.
// docs/evidence.md describes it line by line.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "check/check.hpp"
#include "check/outcome.hpp"
#include "evidence/counterexample.hpp"
#include "history/history.hpp"

namespace assay::evidence {

// The certificate of one outcome; `counterexample` belongs to it if it is "violated". nullopt where there is
// no proof to write: undecided, or violated without a derivation of bearable length.
std::optional<std::string> certificate(const History& history, const check::Outcome& outcome,
                                       const Counterexample* counterexample, const check::Options& options);

}  // namespace assay::evidence
