#include "check/derivation.hpp"

#include <algorithm>

namespace assay::check {

std::vector<Txn> transactions_of(const Derivation& derivation) {
  std::vector<Txn> txns;
  for (const Step& step : derivation.steps) {
    for (const Txn t : {step.from.txn, step.to.txn, step.witness}) {
      if (t != kInitialTxn) txns.push_back(t);
    }
  }
  std::sort(txns.begin(), txns.end());
  txns.erase(std::unique(txns.begin(), txns.end()), txns.end());
  return txns;
}

void speak_of_the_whole(Derivation& derivation, const SubHistory& part) {
  const auto translate = [&](Step& step) {
    const auto txn = [&](Txn t) { return t == kInitialTxn ? t : part.transactions[index(t)]; };
    step.from.txn = txn(step.from.txn);
    step.to.txn = txn(step.to.txn);
    step.witness = txn(step.witness);
    // Not every rule speaks of a key; what stands there then means nothing.
    if (index(step.key) < part.keys.size()) step.key = part.keys[index(step.key)];
    if (step.read != kNoOp) step.read = part.operations[index(step.read)];
  };
  for (Step& step : derivation.steps) translate(step);
  for (Derivation::Case& one : derivation.cases) {
    translate(one.assumption);
    speak_of_the_whole(one.derivation, part);
  }
}

}  // namespace assay::check
