// An examination told to a person (text.cpp) or to a machine (json.cpp). Reports decide nothing and read no
// files; they arrange what was found.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "check/outcome.hpp"
#include "evidence/examination.hpp"
#include "history/history.hpp"
#include "report/statistics.hpp"
#include "report/story.hpp"

namespace assay::report {

struct TextStyle {
  bool colour = false;
  bool statistics = false;  // phases and counts of every outcome
  bool strongest = false;   // name the strongest level that holds
};

// The history in a line, the reader's notes, a line per level, then the evidence for what is violated: in
// full for the weakest violated levels, since what refutes them refutes every level that implies them.
std::string text(const evidence::Examination& examination, const TextStyle& style);
std::string text(const History& history, const Statistics& statistics);
// The verdict in a part of one line, where there are many histories: "violated: lost update".
std::string brief(const evidence::Examination& examination);
// What follows the name of a verdict there: ": lost update", ", since causal is", ": the time was over", or nothing.
std::string in_short(const evidence::Examination& examination, const check::Outcome& outcome);

// A store that loses everything makes every read a bad one; whoever looks at them has seen enough by then.
inline constexpr std::size_t kMostReadsInJson = 100;

// One object; docs/json-schema.json describes it. Ends in a line feed.
std::string json(const evidence::Examination& examination);
std::string json(const History& history, const Statistics& statistics);

std::string_view name(check::Verdict verdict);
std::string_view name(OpKind kind);

// One outcome's evidence for a person, without the verdict line; empty where there is none to show.
std::string explanation(const History& history, const check::Outcome& outcome,
                        const std::optional<Story>& story = std::nullopt);

}  // namespace assay::report
