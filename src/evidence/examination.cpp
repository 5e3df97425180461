#include "evidence/examination.hpp"

#include <algorithm>

#include "check/check.hpp"

namespace assay::evidence {

using check::Outcome;
using check::Verdict;

const Explanation* Examination::explanation_of(Level level) const {
  const auto found = std::find_if(explanations.begin(), explanations.end(),
                                  [&](const Explanation& one) { return one.level == level; });
  return found == explanations.end() ? nullptr : &*found;
}

std::optional<Level> Examination::strongest() const {
  return check::strongest(outcomes);
}

std::string code_of(const Counterexample& found) {
  const std::string_view code = info(found.anomaly).code;
  const bool by_edges = code.starts_with("G") && !code.ends_with("-realtime");
  return std::string(code) + (by_edges && found.by_session ? "-session" : "");
}

std::uint64_t committed(const History& history) {
  std::uint64_t found = 0;
  for (const Txn t : history.all_transactions()) found += history.status(t) == Status::committed ? 1 : 0;
  return found;
}

const Outcome* refuted_by(const Outcome& outcome, std::span<const Outcome> all) {
  for (const Outcome& other : all) {
    if (other.verdict == Verdict::violated && other.level != outcome.level &&
        implies(outcome.level, other.level)) {
      return &other;
    }
  }
  return nullptr;
}

}  // namespace assay::evidence
