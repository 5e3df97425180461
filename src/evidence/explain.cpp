#include "evidence/explain.hpp"

#include "evidence/counterexample.hpp"
#include "evidence/patterns.hpp"

namespace assay::evidence {

Explanation explain(const History& history, const check::Outcome& outcome, const check::Options& options) {
  Explanation found{outcome.level, find_counterexample(history, outcome, options), {}};
  found.roles = roles_of(history, found.counterexample);
  return found;
}

}  // namespace assay::evidence
