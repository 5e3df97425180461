// A violation as a person would tell it: what the anomaly is called, who did what, why that is impossible,
// and what it can do to an application. All reports tell the same story; they differ in how they set it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "evidence/examination.hpp"
#include "history/history.hpp"

namespace assay::report {

// Borrows from the explanation that it was made of.
struct Story {
  const evidence::Counterexample& counterexample;  // the anomaly, the transactions, the derivation
  std::vector<std::string> names;                  // of those transactions, as the sentences call them: "T8"
  std::string summary;  // all of it in one sentence; empty where the anomaly is a cycle and no more
  std::vector<std::string> sentences;  // the summary, then why it is impossible; each ends in a full stop
  std::string consequence;             // what it means for an application, one line
};

Story story_of(const History& history, const evidence::Explanation& explanation);
// Of a level that is explained, otherwise nullopt.
std::optional<Story> story_of(const evidence::Examination& examination, Level level);

}  // namespace assay::report
