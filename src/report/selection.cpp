#include "report/selection.hpp"

#include <algorithm>

namespace assay::report {

using check::Outcome;
using check::Verdict;
using evidence::Examination;

namespace {

bool same_bad_reads(const Outcome& a, const Outcome& b) {
  return std::equal(a.bad_reads.begin(), a.bad_reads.end(), b.bad_reads.begin(), b.bad_reads.end(),
                    [](const auto& x, const auto& y) { return x.kind == y.kind && x.read == y.read; });
}

// Whether one anomaly breaks both levels: each forbids it, whoever shows it.
bool is_same(const Examination& examination, const Outcome& a, const Outcome& b) {
  if (!a.bad_reads.empty() && same_bad_reads(a, b)) return true;
  const evidence::Explanation* one = examination.explanation_of(a.level);
  const evidence::Explanation* other = examination.explanation_of(b.level);
  if (one == nullptr || other == nullptr) return false;
  const Anomaly anomaly = other->counterexample.anomaly;
  return anomaly != Anomaly::unnamed_cycle && one->counterexample.anomaly == anomaly;
}

}  // namespace

std::vector<Selected> worth_explaining(const Examination& examination) {
  const std::vector<Outcome>& outcomes = examination.outcomes;
  std::vector<Selected> chosen;
  for (const Outcome& outcome : outcomes) {
    if (outcome.verdict != Verdict::violated || evidence::refuted_by(outcome, outcomes) != nullptr) continue;
    const auto same = std::find_if(chosen.begin(), chosen.end(), [&](const Selected& other) {
      return is_same(examination, outcome, *other.outcome);
    });
    if (same == chosen.end()) {
      chosen.push_back({&outcome, {}});
    } else {
      same->also.push_back(outcome.level);
    }
  }
  return chosen;
}

std::vector<Level> strongest_levels(std::span<const Outcome> outcomes) {
  std::vector<Level> found;
  for (const Outcome& outcome : outcomes) {
    if (outcome.verdict != Verdict::holds) continue;
    // Of two that imply each other the later is named.
    const bool implied = std::any_of(outcomes.begin(), outcomes.end(), [&](const Outcome& other) {
      return other.verdict == Verdict::holds && other.level != outcome.level &&
             implies(other.level, outcome.level) &&
             (!implies(outcome.level, other.level) || &other > &outcome);
    });
    if (!implied) found.push_back(outcome.level);
  }
  return found;
}

std::string listed(const std::vector<Level>& levels) {
  std::string out;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    out += i == 0 ? "" : i + 1 == levels.size() ? " and " : ", ";
    out += info(levels[i]).name;
  }
  return out;
}

}  // namespace assay::report
