#include "report/selection.hpp"

#include <algorithm>

namespace assay::report {

using check::Outcome;
using check::Verdict;

namespace {

bool same_bad_reads(const Outcome& a, const Outcome& b) {
  return std::equal(a.bad_reads.begin(), a.bad_reads.end(), b.bad_reads.begin(), b.bad_reads.end(),
                    [](const auto& x, const auto& y) { return x.kind == y.kind && x.read == y.read; });
}

}  // namespace

const Outcome* refuted_by(const Outcome& outcome, std::span<const Outcome> all) {
  for (const Outcome& other : all) {
    if (other.verdict == Verdict::violated && other.level != outcome.level &&
        implies(outcome.level, other.level)) {
      return &other;
    }
  }
  return nullptr;
}

std::vector<const Outcome*> worth_explaining(std::span<const Outcome> outcomes) {
  std::vector<const Outcome*> chosen;
  for (const Outcome& outcome : outcomes) {
    if (outcome.verdict != Verdict::violated || refuted_by(outcome, outcomes) != nullptr) continue;
    const bool told = std::any_of(chosen.begin(), chosen.end(), [&](const Outcome* other) {
      return !outcome.bad_reads.empty() && same_bad_reads(outcome, *other);
    });
    if (!told) chosen.push_back(&outcome);
  }
  return chosen;
}

}  // namespace assay::report
