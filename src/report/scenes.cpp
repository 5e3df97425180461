#include "report/scenes.hpp"

#include <algorithm>

#include "report/sentence.hpp"

namespace assay::report {

using check::Derivation;
using check::Event;
using check::Outcome;
using check::Step;

namespace {

constexpr std::size_t kMostBeside = 12;  // transactions of a counterexample that no step names

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
  Stage(const History& history, const std::optional<Story>& story, const SceneLimits& limits)
      : history_(history), story_(story), limits_(limits) {}

  void meet(Txn txn) {
    if (txn == kInitialTxn || result_.names.count(txn) != 0) return;
    result_.names.emplace(txn, name(txn));
    result_.cast.push_back(txn);
  }

  void show(const Derivation& derivation) {
    if (!derivation.cycle.empty()) return add_scene(derivation);
    for (const Derivation::Case& one : derivation.cases) {
      assumptions_.push_back(&one.assumption);
      show(one.derivation);
      assumptions_.pop_back();
    }
  }

  Scenes finish() { return std::move(result_); }

 private:
  std::string name(Txn txn) const {
    if (!story_) return letter(result_.names.size());
    const std::vector<Txn>& known = story_->counterexample.transactions;
    const auto found = std::find(known.begin(), known.end(), txn);
    if (found == known.end()) return letter(result_.names.size());
    return story_->names[static_cast<std::size_t>(found - known.begin())];
  }

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
    if (step.read != check::kNoOp) meet(history_.transaction_of(step.read));
    if (step.from.side == Event::Side::begin || step.to.side == Event::Side::begin) result_.two_sided = true;
  }

  const History& history_;
  const std::optional<Story>& story_;
  const SceneLimits& limits_;
  Scenes result_;
  std::vector<const Step*> assumptions_;
};

}  // namespace

Naming Scenes::naming(const History& history) const {
  return [&](Txn txn) {
    const auto found = names.find(txn);
    return found == names.end() ? full_name(history, txn) : found->second;
  };
}

Scenes scenes_of(const History& history, const Outcome& outcome, const std::optional<Story>& story,
                 const SceneLimits& limits) {
  Stage stage(history, story, limits);
  const std::size_t reads = std::min(outcome.bad_reads.size(), limits.bad_reads);
  for (std::size_t i = 0; i < reads; ++i) {
    const check::BadRead& bad = outcome.bad_reads[i];
    stage.meet(bad.txn);
    if (bad.write != bad.read) stage.meet(history.transaction_of(bad.write));
  }
  if (reads != 0) return stage.finish();
  // The story's derivation is that of the smallest counterexample; the checker's own is the first that it
  // met.
  const bool explained = story && !story->counterexample.derivation.empty();
  const Derivation& derivation = explained ? story->counterexample.derivation : outcome.derivation;
  stage.show(derivation);
  // The first sentence may speak of others: of those without whom a writer of unknown fate would not count.
  if (explained && story->counterexample.transactions.size() <= kMostBeside) {
    for (const Txn txn : story->counterexample.transactions) stage.meet(txn);
  }
  if (derivation.empty()) {
    for (const Txn txn : story ? story->counterexample.transactions : outcome.core) stage.meet(txn);
  }
  return stage.finish();
}

}  // namespace assay::report
