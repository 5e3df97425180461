#include "report/dot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "report/printable.hpp"
#include "report/report.hpp"
#include "report/scenes.hpp"
#include "report/selection.hpp"
#include "report/sentence.hpp"
#include "report/story.hpp"

namespace assay::report {

using check::Outcome;
using check::Rule;
using check::Step;
using check::Verdict;
using evidence::Examination;

namespace {

constexpr std::size_t kMostOperations = 12;  // of one transaction

// A double-quoted string of the DOT language. Backslashes begin escapes there, so those of the text are
// doubled; control characters are gone already.
std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

// Lines of a label: "\n" is the one escape that is meant.
std::string lines(const std::vector<std::string>& texts) {
  std::string out = "\"";
  for (const std::string& text : texts) {
    const std::string one = in_quotes(text);
    out += one.substr(1, one.size() - 2) + "\\l";
  }
  return out + "\"";
}

std::string_view colour_of(Rule rule) {
  switch (rule) {
    case Rule::reads_from:
      return "#1d5fae";
    case Rule::anti_dependency:
    case Rule::initial:
      return "#b3401a";
    case Rule::version_order:
    case Rule::overwritten:
    case Rule::first_committer:
    case Rule::axiom:
      return "#6c3fa3";
    case Rule::real_time:
      return "#0d7068";
    case Rule::decision:
      return "#8a6a00";
    case Rule::program:
    case Rule::session:
      break;
  }
  return "#6b6e75";
}

class Graph {
 public:
  Graph(const History& history, const Outcome& outcome, const std::optional<Story>& story, std::size_t number)
      : history_(history),
        outcome_(outcome),
        scenes_(scenes_of(history, outcome, story, {})),
        prefix_(fmt::format("l{}_", number)) {}

  std::string text() {
    std::string out = fmt::format("  subgraph \"cluster_{}\" {{\n    label={};\n", prefix_,
                                  in_quotes(fmt::format("{} is violated", info(outcome_.level).name)));
    // All scenes or none: a node belongs to one scene, since a case's edges hold in that case only.
    const std::size_t count = std::max<std::size_t>(scenes_.shown.size(), 1);
    for (std::size_t i = 0; i < count; ++i) {
      const Scene* scene = i < scenes_.shown.size() ? &scenes_.shown[i] : nullptr;
      out += nodes(scene, i);
      if (scene != nullptr) out += edges(*scene, i);
    }
    if (scenes_.shown.empty()) {
      const std::size_t reads = std::min(outcome_.bad_reads.size(), SceneLimits{}.bad_reads);
      for (const check::BadRead& bad : std::span(outcome_.bad_reads).first(reads)) {
        if (bad.write == bad.read) continue;
        const Txn writer = history_.transaction_of(bad.write);
        if (scenes_.names.count(writer) == 0 || scenes_.names.count(bad.txn) == 0) continue;
        out += fmt::format("    {} -> {} [label={}, color=\"#b3261e\"];\n", node(writer, 0), node(bad.txn, 0),
                           in_quotes(anomaly(history_, bad)));
      }
    }
    return out + "  }\n";
  }

 private:
  std::string node(Txn txn, std::size_t scene) const {
    if (txn == kInitialTxn) return fmt::format("\"{}s{}_initial\"", prefix_, scene);
    return fmt::format("\"{}s{}_t{}\"", prefix_, scene, index(txn));
  }

  bool takes_part(Txn txn, const Scene& scene) const {
    return std::any_of(scene.steps.begin(), scene.steps.end(), [&](std::uint32_t i) {
      const Step& step = scene.derivation->steps[i];
      return step.from.txn == txn || step.to.txn == txn || (has_witness(step) && step.witness == txn);
    });
  }

  std::string nodes(const Scene* scene, std::size_t number) const {
    std::map<Session, std::vector<Txn>> by_session;
    for (const Txn txn : scenes_.cast) {
      if (scene == nullptr || takes_part(txn, *scene)) by_session[history_.session_of(txn)].push_back(txn);
    }
    std::string out;
    for (const auto& [session, txns] : by_session) {
      out += fmt::format("    subgraph \"cluster_{}s{}_{}\" {{\n      label={}; style=dotted;\n", prefix_,
                         number, index(session), in_quotes("session " + printable(history_.name(session))));
      for (const Txn txn : txns) {
        std::vector<std::string> label = {
            fmt::format("{}: transaction {}", scenes_.names.at(txn), printable(history_.name(txn)))};
        for (const Op op : history_.operations_of(txn)) {
          if (label.size() > kMostOperations) {
            label.push_back(fmt::format("… {} in all", history_.operations_of(txn).size()));
            break;
          }
          label.push_back(operation(history_, op));
        }
        out += fmt::format("      {} [label={}];\n", node(txn, number), lines(label));
      }
      out += "    }\n";
    }
    if (scene != nullptr && takes_part(kInitialTxn, *scene))
      out += fmt::format("    {} [label=\"the initial state\", style=dashed];\n", node(kInitialTxn, number));
    return out;
  }

  std::string edges(const Scene& scene, std::size_t number) const {
    std::string out;
    const check::Derivation& derivation = *scene.derivation;
    const Naming naming = scenes_.naming(history_);
    for (const std::uint32_t i : scene.steps) {
      const Step& step = derivation.steps[i];
      if (step.from.txn == step.to.txn) continue;
      const bool closes =
          std::find(derivation.cycle.begin(), derivation.cycle.end(), i) != derivation.cycle.end();
      std::string label(check::name(step.rule));
      if (has_key(step)) label += " " + printable(history_.name(step.key));
      out +=
          fmt::format("    {} -> {} [label={}, tooltip={}, color=\"{}\"{}];\n", node(step.from.txn, number),
                      node(step.to.txn, number), in_quotes(label), in_quotes(reason(history_, step, naming)),
                      colour_of(step.rule), closes ? ", penwidth=2.5" : ", style=dashed");
    }
    return out;
  }

  const History& history_;
  const Outcome& outcome_;
  Scenes scenes_;
  std::string prefix_;
};

}  // namespace

std::string dot(const Examination& examination) {
  std::string out =
      "digraph assay {\n  rankdir=LR;\n  node [shape=box, style=rounded, fontname=\"monospace\"];\n  edge "
      "[fontname=\"sans-serif\", fontsize=10];\n";
  const std::vector<Selected> explained = worth_explaining(examination);
  for (std::size_t i = 0; i < explained.size(); ++i)
    out += Graph(*examination.history, *explained[i].outcome,
                 story_of(examination, explained[i].outcome->level), i)
               .text();
  if (explained.empty()) {
    std::string verdicts;
    for (const Outcome& outcome : examination.outcomes)
      verdicts += fmt::format("{}{} {}", verdicts.empty() ? "" : ", ", info(outcome.level).name,
                              outcome.verdict == Verdict::holds ? "holds" : "is undecided");
    out += fmt::format("  label={};\n", in_quotes(verdicts));
  }
  return out + "}\n";
}

}  // namespace assay::report
