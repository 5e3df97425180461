// A verdict with its proof, as a text that verify.hpp checks against the history and that a person can read.
// docs/evidence.md describes it line by line.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "check/options.hpp"
#include "check/outcome.hpp"
#include "evidence/examination.hpp"
#include "history/history.hpp"

namespace assay::evidence {

// The certificate of one outcome; `counterexample` belongs to it if it is "violated". nullopt where there is
// no proof to write: undecided, or violated without a derivation of bearable length.
std::optional<std::string> certificate(const History& history, const check::Outcome& outcome,
                                       const Counterexample* counterexample, const check::Options& options);

// The same of an outcome of an examination.
std::optional<std::string> certificate(const Examination& examination, const check::Outcome& outcome);

}  // namespace assay::evidence
