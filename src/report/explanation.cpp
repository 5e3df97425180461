// The evidence of one outcome as a person reads it: first who took part and what they did, then step by step
// what follows, then the contradiction. After the manner of Elle's explanations.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <vector>

#include "history/query.hpp"
#include "report/report.hpp"
#include "report/scenes.hpp"
#include "report/sentence.hpp"

namespace assay::report {

using check::BadRead;
using check::Derivation;
using check::Event;
using check::Outcome;
using check::Step;

namespace {

constexpr SceneLimits kMost{.scenes = 6, .steps = 40, .bad_reads = 10};
constexpr std::size_t kMostOperations = 12;  // of one transaction

std::string explain_bad_reads(const History& history, const std::vector<BadRead>& bad_reads) {
  std::string out =
      "No level allows " + std::string(bad_reads.size() == 1 ? "this read" : "these reads") + ":\n";
  const std::size_t shown = std::min(bad_reads.size(), kMost.bad_reads);
  for (std::size_t i = 0; i < shown; ++i) {
    out += fmt::format("  {}: {}\n", anomaly(history, bad_reads[i]), sentence(history, bad_reads[i]));
  }
  if (bad_reads.size() > shown)
    out += fmt::format(
        "  … and {} more (the JSON report lists {})\n", bad_reads.size() - shown,
        bad_reads.size() <= kMostReadsInJson ? "all" : fmt::format("the first {}", kMostReadsInJson));
  return out;
}

class Steps {
 public:
  Steps(const History& history, const Scenes& scenes)
      : history_(history), scenes_(scenes), naming_(scenes.naming(history)) {
    for (const Scene& scene : scenes.shown) {
      for (const std::uint32_t i : scene.steps) {
        if (const Step& step = scene.derivation->steps[i]; has_key(step)) keys_.insert(step.key);
      }
    }
  }

  std::string text() const {
    std::string out = "The transactions that matter, and what they did:\n";
    for (const Txn txn : scenes_.cast)
      out += fmt::format("  {} = {}: {}\n", naming_(txn), full_name(history_, txn), deeds(txn));
    const bool cases = !scenes_.shown.front().assumptions.empty();
    if (cases) out += "One of these must have been, and each is impossible:\n";
    for (std::size_t i = 0; i < scenes_.shown.size(); ++i) {
      if (cases) out += fmt::format("Case {}: {}.\n", i + 1, assumptions(scenes_.shown[i]));
      out += steps_of(scenes_.shown[i]);
    }
    if (scenes_.left_out != 0)
      out += fmt::format("… and {} more cases (a certificate has them all)\n", scenes_.left_out);
    return out;
  }

 private:
  std::string name(const Event& event) const {
    if (!scenes_.two_sided || event.txn == kInitialTxn) return naming_(event.txn);
    return naming_(event.txn) + (event.side == Event::Side::begin ? "'s begin" : "'s commit");
  }

  // The operations on the keys that the scenes are about.
  std::string deeds(Txn txn) const {
    std::string out;
    std::size_t shown = 0;
    std::size_t hidden = 0;
    for (const Op op : history_.operations_of(txn)) {
      const OpKind kind = history_.kind(op);
      const bool matters =
          is_query(history_, op)
              ? std::any_of(keys_.begin(), keys_.end(), [&](Key k) { return asks_for(history_, op, k); })
              : keys_.count(kind == OpKind::list_read ? history_.list(op).key : history_.key(op)) != 0;
      if (!matters || shown == kMostOperations) {
        ++hidden;
        continue;
      }
      out += (shown++ == 0 ? "" : ", ") + operation(history_, op);
    }
    if (hidden != 0) out += fmt::format("{}({} more)", shown == 0 ? "" : ", ", hidden);
    return out.empty() ? "(nothing)" : out;
  }

  std::string assumptions(const Scene& scene) const {
    std::string out;
    for (const Step* step : scene.assumptions)
      out += (out.empty() ? "" : ", and ") + assumption(history_, *step, naming_);
    return out;
  }

  std::string steps_of(const Scene& scene) const {
    const Derivation& derivation = *scene.derivation;
    std::map<std::uint32_t, std::size_t> number;  // step -> its number here
    for (const std::uint32_t i : scene.steps) number.emplace(i, number.size() + 1);
    const auto numbers = [&](const std::vector<std::uint32_t>& steps) {
      std::string out;
      for (const std::uint32_t i : steps) {
        if (const auto found = number.find(i); found != number.end())
          out += fmt::format("{}{}", out.empty() ? "" : ", ", found->second);
      }
      return out;
    };
    std::string out = "What follows:\n";
    for (const std::uint32_t i : scene.steps) {
      const Step& step = derivation.steps[i];
      const std::string premises = numbers(step.premises);
      out += fmt::format("  {}. {} before {}: {}.{}\n", number.at(i), name(step.from), name(step.to),
                         reason(history_, step, naming_),
                         premises.empty() ? "" : fmt::format(" [by {}]", premises));
    }
    if (scene.left_out != 0)
      out += fmt::format("  … resting on {} other steps (the JSON report lists all)\n", scene.left_out);
    std::string circle;
    for (const std::uint32_t i : derivation.cycle) circle += name(derivation.steps[i].from) + " → ";
    circle += name(derivation.steps[derivation.cycle.front()].from);
    return out + fmt::format("The contradiction: {} (by {}).\n", circle, numbers(derivation.cycle));
  }

  const History& history_;
  const Scenes& scenes_;
  const Naming naming_;
  std::set<Key> keys_;
};

// The name, and all of it in one sentence.
std::string head(const Story& story) {
  const AnomalyInfo& anomaly = info(story.counterexample.anomaly);
  const std::string code = code_of(story.counterexample);
  std::string out = fmt::format("{}{}{}\n", anomaly.title, code.empty() ? "" : fmt::format(" ({})", code),
                                story.summary.empty() ? "." : ": " + story.summary);
  out[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(out[0])));
  return out + fmt::format("What it means: {}\n", story.consequence);
}

}  // namespace

std::string explanation(const History& history, const Outcome& outcome, const std::optional<Story>& story) {
  if (outcome.verdict != check::Verdict::violated) return "";
  std::string out = !story ? "" : head(*story);
  if (!outcome.bad_reads.empty()) return out + explain_bad_reads(history, outcome.bad_reads);
  const Scenes scenes = scenes_of(history, outcome, story, kMost);
  if (!scenes.shown.empty()) return out + Steps(history, scenes).text();
  return out + fmt::format(
                   "No order of the transactions explains what they saw (found by {}, which gives no "
                   "derivation).\n",
                   outcome.method.empty() ? "a search" : outcome.method);
}

}  // namespace assay::report
