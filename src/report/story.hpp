// A violation as a person would tell it: what the anomaly is called, who did what, why that is impossible,
// and what it can do to an application. All reports tell the same story; they differ in how they set it.
#pragma once

#include <string>
#include <vector>

#include "check/check.hpp"
#include "check/outcome.hpp"
#include "evidence/counterexample.hpp"
#include "history/history.hpp"

namespace assay::report {

struct Story {
  Level level;
  evidence::Counterexample counterexample;  // the name, the transactions, the derivation
  std::vector<std::string> sentences;  // what was seen and why it is impossible; each ends in a full stop
  std::string consequence;             // one line
};

// REQUIRES: as find_counterexample().
Story tell(const History& history, const check::Outcome& outcome, const check::Options& options);

// The transactions of the story by short names: T followed by the input's own id where that tells them apart.
std::string short_name(const History& history, Txn txn);

}  // namespace assay::report
