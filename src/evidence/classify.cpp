#include "evidence/classify.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "check/check.hpp"
#include "evidence/bad_read.hpp"
#include "evidence/patterns.hpp"
#include "evidence/prove.hpp"

namespace assay::evidence {

using check::BadRead;
using check::Derivation;
using check::Outcome;
using check::Rule;
using check::Step;
using check::Verdict;

namespace {

class Classifier {
 public:
  Classifier(const History& history, Level level, const check::Options& options)
      : h_(history), level_(level), options_(options) {
    std::vector<Level> all;
    for (const LevelInfo& l : levels()) {
      if (!l.real_time || implies(level, l.level)) all.push_back(l.level);
    }
    for (const Outcome& outcome : check::check(h_, all, options_)) {
      violated_[static_cast<std::size_t>(outcome.level)] = outcome.verdict == Verdict::violated;
      if (!outcome.bad_reads.empty()) bad_ = outcome.bad_reads.front();
    }
  }

  // From the most specific: each test may assume that what the ones before it look for is not there. Only
  // what the level that was asked for forbids is a name for its violation.
  Anomaly classify() {
    using enum Anomaly;
    if (bad_) return anomaly_of(h_, *bad_);
    if (violated(Level::read_committed) && level_ != Level::repeatable_read) {
      if (const auto cycle = cycle_without_reading_back()) return *cycle;
    }
    if (broken(Level::repeatable_read)) return non_repeatable_read;
    if (broken(Level::read_your_writes)) return read_your_writes_violation;
    if (broken(Level::read_committed))
      return implies(level_, Level::read_atomic) ? fractured_read : observed_transaction_vanishes;
    if (broken(Level::monotonic_reads)) return monotonic_reads_violation;
    if (broken(Level::read_atomic)) return fractured_read;
    if (broken(Level::monotonic_writes)) return monotonic_writes_violation;
    if (broken(Level::writes_follow_reads)) {
      const bool asked = level_ == Level::writes_follow_reads;
      return asked || rests_on_a_session() ? writes_follow_reads_violation : causality_violation;
    }
    if (broken(Level::causal)) return causality_violation;
    if (broken(Level::prefix)) return by_missed(Level::prefix, read_skew, long_fork);
    if (broken(Level::snapshot_isolation)) {
      if (Patterns(h_, everybody(h_)).lost_update()) return lost_update;
      return by_missed(Level::snapshot_isolation, single_anti_dependency_cycle,
                       nonadjacent_anti_dependency_cycle);
    }
    if (broken(Level::serializable)) return beyond_snapshots();
    return against_the_clock();
  }

 private:
  static std::vector<Txn> everybody(const History& h) {
    std::vector<Txn> all;
    for (const Txn t : h.all_transactions()) all.push_back(t);
    return all;
  }

  bool violated(Level level) const { return violated_[static_cast<std::size_t>(level)]; }
  // Violated, and promised by the level that was asked for.
  bool broken(Level level) const { return violated(level) && implies(level_, level); }

  // The first contradiction of a level's proof.
  std::optional<Derivation> contradiction(Level level) const {
    std::optional<Derivation> proof = prove_violation(h_, level, options_);
    while (proof && proof->cycle.empty() && !proof->cases.empty()) {
      Derivation inner = std::move(proof->cases.front().derivation);
      proof = std::move(inner);
    }
    return proof;
  }

  // G0 and G1c: a cycle of writes that replace each other, or of those and reads. An order of two writers may
  // also be known from who saw what (rule axiom); if that alone contradicts what is known of the same key it
  // is not the writes that are mixed but a reader that saw too little.
  std::optional<Anomaly> cycle_without_reading_back() const {
    const std::optional<Derivation> proof = contradiction(Level::read_committed);
    if (!proof) return std::nullopt;
    bool only_writes = true, axiom = false, initial = false, versions = true;
    std::vector<Key> keys;
    for (const std::uint32_t i : proof->cycle) {
      const Step& step = proof->steps[i];
      axiom = axiom || step.rule == Rule::axiom;
      initial = initial || step.rule == Rule::initial;
      const bool replaces = step.rule == Rule::axiom || step.rule == Rule::version_order;
      only_writes = only_writes && replaces;
      if (replaces) keys.push_back(step.key);
      versions = versions && step.rule == Rule::reads_from && step.key == proof->steps[proof->cycle[0]].key &&
                 writes_key(step.to.txn, step.key);
    }
    if (initial) return std::nullopt;
    if (versions) return Anomaly::cyclic_versions;
    std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    if (only_writes && keys.size() > 1) return Anomaly::dirty_write;
    if (axiom) return std::nullopt;
    return Anomaly::circular_information_flow;
  }

  // Whether what was visible was so along a session, and not only by what transactions read.
  bool rests_on_a_session() const {
    const std::optional<Derivation> proof = contradiction(Level::writes_follow_reads);
    if (!proof) return false;
    return std::any_of(proof->steps.begin(), proof->steps.end(), [&](const Step& step) {
      return step.rule == Rule::axiom &&
             std::any_of(step.premises.begin(), step.premises.end(),
                         [&](std::uint32_t i) { return proof->steps[i].rule == Rule::session; });
    });
  }

  bool writes_key(Txn t, Key k) const {
    for (const Op op : h_.operations_of(t)) {
      if (writes(h_.kind(op)) && h_.key(op) == k) return true;
    }
    return false;
  }

  static bool is_anti_dependency(const Step& step) {
    return step.rule == Rule::anti_dependency || (step.rule == Rule::initial && step.from.txn != kInitialTxn);
  }

  // How many reads of something older a circle has (Adya's anti-dependencies), and of which edges else.
  struct Edges {
    std::size_t missed = 0, all = 0;
    bool reads = false;     // one saw what the other wrote
    bool replaced = false;  // which of two writes came first is known by who read the other
  };
  std::optional<Edges> edges(Level level) const {
    const std::optional<Derivation> proof = contradiction(level);
    if (!proof || proof->cycle.empty()) return std::nullopt;
    Edges found;
    for (const std::uint32_t i : proof->cycle) {
      const Step& step = proof->steps[i];
      if (step.rule == Rule::program) continue;
      ++found.all;
      if (is_anti_dependency(step)) ++found.missed;
      found.reads = found.reads || step.rule == Rule::reads_from;
      found.replaced = found.replaced || step.rule == Rule::overwritten;
    }
    return found;
  }

  // A circle that these levels forbid has one read of something older, or several that are not adjacent.
  Anomaly by_missed(Level level, Anomaly one, Anomaly several) const {
    const auto found = edges(level);
    if (!found) return Anomaly::unnamed_cycle;
    return found->missed <= 1 ? one : several;
  }

  // Two transactions that each read what the other writes and saw it unwritten, or more of them in a circle:
  // what snapshots allow has at least two such reads, whatever the circle that was found first shows.
  Anomaly beyond_snapshots() const {
    const auto found = edges(Level::serializable);
    if (!found) return Anomaly::unnamed_cycle;
    return found->all == 2 && found->missed == 2 ? Anomaly::write_skew : Anomaly::anti_dependency_cycle;
  }

  // All that is promised without real time holds: it is part of the circle.
  Anomaly against_the_clock() const {
    const bool snapshots = broken(Level::strong_snapshot_isolation);
    const auto found = edges(snapshots ? Level::strong_snapshot_isolation : level_);
    if (!found) return Anomaly::unnamed_cycle;
    if (found->missed == 0 && !found->replaced)
      return found->reads ? Anomaly::information_flow_against_clock : Anomaly::write_order_against_clock;
    if (!snapshots) return Anomaly::anti_dependency_cycle_against_clock;
    return found->missed > 1 ? Anomaly::long_fork_against_clock : Anomaly::stale_read;
  }

  const History& h_;
  const Level level_;
  const check::Options& options_;
  std::array<bool, kLevels> violated_{};
  std::optional<BadRead> bad_;
};

}  // namespace

Anomaly classify(const History& smallest, Level level, const check::Options& options) {
  return Classifier(smallest, level, options).classify();
}

}  // namespace assay::evidence
