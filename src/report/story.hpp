// A violation as a person would tell it: what the anomaly is called, who did what, why that is impossible,
// and what it can do to an application. All reports tell the same story; they differ in how they set it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "check/check.hpp"
#include "check/outcome.hpp"
#include "evidence/counterexample.hpp"
#include "history/history.hpp"

namespace assay::report {

struct Story {
  Level level{};
  evidence::Counterexample counterexample;  // the anomaly, the transactions, the derivation
  std::vector<std::string> names;           // of those transactions, as the sentences call them: "T8"
  std::vector<std::string> sentences;  // what was seen and why it is impossible; each ends in a full stop
  std::string consequence;             // what it means for an application, one line
};

// REQUIRES: as evidence::find_counterexample().
Story tell(const History& history, const check::Outcome& outcome, const check::Options& options);

// The stories of the violated levels: of all, or only of those that a text explains in full (the weakest).
enum class Which : bool { all, weakest };
std::vector<Story> tell(const History& history, std::span<const check::Outcome> outcomes,
                        const check::Options& options, Which which);

// The story of a level, or nullptr.
const Story* story_of(std::span<const Story> stories, Level level);

}  // namespace assay::report
