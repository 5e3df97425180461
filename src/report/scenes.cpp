#include "report/scenes.hpp"

#include <algorithm>

#include "report/sentence.hpp"

namespace assay::report {

using check::Derivation;
using check::Event;
using check::Outcome;
using check::Step;

namespace {

// A, B, ..., Z, AA, AB, ...
std::string letter(std::size_t n) {
  std::string out;
  for (++n; n > 0; n = (n - 1) / 26) out.insert(out.begin(), static_cast<char>('A' + (n - 1) % 26));
  return out;
}

// The steps that the cycle rests on, in order of derivation.
std::vector<std::uint32_t> needed_steps(const Derivation& derivation) {
  std::vector<bool> needed(derivation.steps.size(), false);
  for (const std::uint32_t i : derivation.cycle) needed[i] = true;
  for (std::size_t i = derivation.steps.size(); i-- > 0;) {
    if (!needed[i]) continue;
    for (const std::uint32_t premise : derivation.steps[i].premises) needed[premise] = true;
  }
  std::vector<std::uint32_t> out;
  for (std::uint32_t i = 0; i < needed.size(); ++i) {
    if (needed[i]) out.push_back(i);
  }
  return out;
}

class Stage {
 public:
  explicit Stage(const SceneLimits& limits) : limits_(limits) {}

  void meet(Txn txn) {
    if (txn == kInitialTxn || !result_.names.emplace(txn, letter(result_.names.size())).second) return;
    result_.cast.push_back(txn);
  }

  void tell(const Derivation& derivation) {
    if (!derivation.cycle.empty()) return add_scene(derivation);
    for (const Derivation::Case& one : derivation.cases) {
      assumptions_.push_back(&one.assumption);
      tell(one.derivation);
      assumptions_.pop_back();
    }
  }

  Scenes finish() { return std::move(result_); }

 private:
  void add_scene(const Derivation& derivation) {
    if (result_.shown.size() == limits_.scenes) {
      ++result_.left_out;
      return;
    }
    Scene scene{assumptions_, &derivation, needed_steps(derivation)};
    if (scene.steps.size() > limits_.steps) {
      scene.left_out = scene.steps.size();
      scene.steps = derivation.cycle;
      if (scene.steps.size() > limits_.steps) scene.steps.resize(limits_.steps);
      std::sort(scene.steps.begin(), scene.steps.end());
      scene.left_out -= scene.steps.size();
    }
    for (const std::uint32_t i : derivation.cycle) {
      if (std::binary_search(scene.steps.begin(), scene.steps.end(), i)) meet(derivation.steps[i].from.txn);
    }
    for (const Step* assumption : assumptions_) meet_all(*assumption);
    for (const std::uint32_t i : scene.steps) meet_all(derivation.steps[i]);
    result_.shown.push_back(std::move(scene));
  }

  void meet_all(const Step& step) {
    meet(step.from.txn);
    meet(step.to.txn);
    if (has_witness(step)) meet(step.witness);
    if (step.from.side == Event::Side::begin || step.to.side == Event::Side::begin)
      result_.tells_begin_from_commit = true;
  }

  const SceneLimits& limits_;
  Scenes result_;
  std::vector<const Step*> assumptions_;
};

}  // namespace

Scenes scenes_of(const History& history, const Outcome& outcome, const SceneLimits& limits) {
  Stage stage(limits);
  const std::size_t reads = std::min(outcome.bad_reads.size(), limits.bad_reads);
  for (std::size_t i = 0; i < reads; ++i) {
    const check::BadRead& bad = outcome.bad_reads[i];
    stage.meet(bad.txn);
    if (bad.write != bad.read) stage.meet(history.transaction_of(bad.write));
  }
  if (reads == 0) {
    stage.tell(outcome.derivation);
    if (outcome.derivation.empty()) {
      for (const Txn txn : outcome.core) stage.meet(txn);
    }
  }
  return stage.finish();
}

}  // namespace assay::report
