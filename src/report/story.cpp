#include "report/story.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/printable.hpp"
#include "report/sentence.hpp"
#include "report/summary.hpp"

namespace assay::report {

using check::Derivation;
using check::Step;
using evidence::Counterexample;
using evidence::Examination;
using evidence::Explanation;

namespace {

// "T8" by the input's own id; where that is the same for two of them, with the session: "T3.8".
std::vector<std::string> names_of(const History& h, std::span<const Txn> transactions) {
  std::vector<std::string> ids;
  for (const Txn t : transactions) ids.push_back(printable(h.name(t)));
  std::vector<std::string> sorted = ids;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
    for (std::size_t i = 0; i < ids.size(); ++i) {
      ids[i] = printable(h.name(h.session_of(transactions[i]))) + "." + ids[i];
    }
  }
  for (std::string& id : ids) id.insert(0, "T");
  return ids;
}

// "T1 → T2 → T1".
std::string circle(const Derivation& d, const Naming& name) {
  std::string out, first;
  for (const std::uint32_t i : d.cycle) {
    if (d.steps[i].rule == check::Rule::program) continue;
    const std::string link = name(d.steps[i].from.txn);
    if (first.empty()) first = link;
    out += link + " → ";
  }
  return out + first;
}

// What was recorded leaves something open, and each way in which it can have been is impossible.
void add_cases(const History& h, const Derivation& d, const Naming& name, std::vector<std::string>& out) {
  constexpr std::size_t kMostCases = 4;
  if (d.cases.size() > kMostCases) {
    out.push_back(
        fmt::format("What else happened is open, but each of the {} possibilities leads to a contradiction.",
                    d.cases.size()));
    return;
  }
  std::string either;
  for (const Derivation::Case& one : d.cases)
    either += (either.empty() ? "Either " : ", or ") + assumption(h, one.assumption, name);
  out.push_back(either + ": the recording leaves that open, but each leads to a contradiction.");
  for (const Derivation::Case& one : d.cases) {
    const std::string assumed = assumption(h, one.assumption, name);
    out.push_back(one.derivation.cycle.empty()
                      ? fmt::format("If {}, further cases all end in a circle.", assumed)
                      : fmt::format("If {}, there is a circle: {}.", assumed, circle(one.derivation, name)));
  }
}

void add_derivation(const History& h, const Derivation& d, const Naming& name,
                    std::vector<std::string>& out) {
  if (d.cycle.empty()) {
    if (!d.cases.empty()) add_cases(h, d, name, out);
    return;
  }
  for (const std::uint32_t i : d.cycle) {
    const Step& step = d.steps[i];
    if (step.rule == check::Rule::program) continue;
    out.push_back(fmt::format("{} comes before {}: {}.", name(step.from.txn), name(step.to.txn),
                              reason(h, step, name)));
  }
  out.push_back(fmt::format("That is a circle: {}.", circle(d, name)));
}

}  // namespace

Story story_of(const History& history, const Explanation& explanation) {
  const Counterexample& found = explanation.counterexample;
  Story story{found, names_of(history, found.transactions), {}, {}, {}};
  const Naming name = [&](Txn t) -> std::string {
    const auto at = std::lower_bound(found.transactions.begin(), found.transactions.end(), t);
    if (at == found.transactions.end() || *at != t) return full_name(history, t);
    return story.names[static_cast<std::size_t>(at - found.transactions.begin())];
  };
  story.consequence = info(found.anomaly).consequence;
  story.summary = summary(history, explanation, name);
  if (!story.summary.empty()) story.sentences.push_back(story.summary);
  add_derivation(history, found.derivation, name, story.sentences);
  return story;
}

std::optional<Story> story_of(const Examination& examination, Level level) {
  const Explanation* explanation = examination.explanation_of(level);
  if (explanation == nullptr) return std::nullopt;
  return story_of(*examination.history, *explanation);
}

}  // namespace assay::report
