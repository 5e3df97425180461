#include "evidence/missed_write.hpp"

#include "history/query.hpp"

namespace assay::evidence {

using check::Derivation;
using check::Rule;
using check::Step;

bool rests_on_missing_row(const History& history, const Step& step) {
  return step.read != check::kNoOp && is_query(history, step.read) && !returned(history, step.read, step.key);
}

std::optional<MissedWrite> missed_write(const Step& step) {
  if (step.read == check::kNoOp) return std::nullopt;
  switch (step.rule) {
    case Rule::initial:
    case Rule::anti_dependency:
      return MissedWrite{step.from.txn, step.read, step.key, step.to.txn};
    case Rule::axiom:
    case Rule::overwritten:
      return MissedWrite{step.witness, step.read, step.key, step.from.txn};
    default:
      return std::nullopt;
  }
}

std::vector<MissedWrite> missed_writes(const Derivation& derivation) {
  std::vector<MissedWrite> found;
  for (const std::uint32_t i : derivation.cycle) {
    if (const auto missed = missed_write(derivation.steps[i])) found.push_back(*missed);
  }
  return found;
}

}  // namespace assay::evidence
