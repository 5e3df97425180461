// A verdict told to a person (text.cpp) or to a machine (json.cpp). Reports decide nothing and read no files;
// they arrange what a check found.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "check/check.hpp"
#include "history/history.hpp"
#include "report/statistics.hpp"
#include "report/story.hpp"

namespace assay::report {

// All that a report on one check needs to know.
struct Checked {
  const History& history;
  std::span<const check::Outcome> outcomes;
  check::SessionOrder sessions = check::SessionOrder::keep;
  double read_seconds = 0;              // reading the history took
  double check_seconds = 0;             // deciding took
  std::span<const Story> stories = {};  // of violated levels; where there is none the bare evidence is shown
};

struct TextStyle {
  bool colour = false;
  bool statistics = false;  // phases and counts of every outcome
  bool strongest = false;   // name the strongest level that holds
};

// The history in a line, the reader's notes, a line per level, then the evidence for what is violated: in
// full for the weakest violated levels, since what refutes them refutes every level that implies them.
std::string text(const Checked& checked, const TextStyle& style);
std::string text(const History& history, const Statistics& statistics);

// A store that loses everything makes every read a bad one; whoever looks at them has seen enough by then.
inline constexpr std::size_t kMostReadsInJson = 100;

// One object; docs/json-schema.json describes it. Ends in a line feed.
std::string json(const Checked& checked);
std::string json(const History& history, const Statistics& statistics);

std::string_view name(check::Verdict verdict);
std::string_view name(OpKind kind);

// One outcome's evidence for a person, without the verdict line; empty where there is none to show.
std::string explanation(const History& history, const check::Outcome& outcome, const Story* story = nullptr);

}  // namespace assay::report
