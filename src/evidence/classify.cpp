#include "evidence/classify.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "evidence/prove.hpp"

namespace assay::evidence {

using check::BadRead;
using check::Derivation;
using check::Outcome;
using check::Rule;
using check::Step;
using check::Verdict;

namespace {

Anomaly of(BadRead::Kind kind) {
  switch (kind) {
    case BadRead::Kind::internal:
      return Anomaly::internal_inconsistency;
    case BadRead::Kind::aborted:
      return Anomaly::aborted_read;
    case BadRead::Kind::intermediate:
      return Anomaly::intermediate_read;
    case BadRead::Kind::future:
      return Anomaly::future_read;
    case BadRead::Kind::thin_air:
      return Anomaly::thin_air_read;
    case BadRead::Kind::incompatible_order:
      return Anomaly::incompatible_order;
  }
  return Anomaly::unnamed_cycle;
}

class Classifier {
 public:
  Classifier(const History& history, Level level, const check::Options& options)
      : h_(history), level_(level), options_(options) {
    std::vector<Level> all;
    for (const LevelInfo& l : levels()) {
      if (!l.real_time || implies(level, l.level)) all.push_back(l.level);
    }
    for (Outcome& outcome : check::check(h_, all, options_)) {
      violated_[static_cast<std::size_t>(outcome.level)] = outcome.verdict == Verdict::violated;
      if (!outcome.bad_reads.empty()) bad_ = outcome.bad_reads.front().kind;
    }
    for (const Txn t : h_.all_transactions()) {
      if (h_.status(t) == Status::committed) collect_reads(t);
    }
  }

  // From the most specific: each test may assume that what the ones before it look for is not there.
  Anomaly classify() {
    using enum Anomaly;
    if (bad_) return of(*bad_);
    if (violated(Level::read_committed)) {
      if (const auto cycle = cycle_without_reading_back()) return *cycle;
    }
    if (violated(Level::repeatable_read)) return non_repeatable_read;
    if (violated(Level::read_your_writes)) return read_your_writes_violation;
    if (violated(Level::read_committed)) return fractured_read;
    if (violated(Level::monotonic_reads)) return monotonic_reads_violation;
    if (violated(Level::read_atomic)) return fractured_read;
    if (violated(Level::monotonic_writes)) return monotonic_writes_violation;
    if (violated(Level::writes_follow_reads)) {
      const bool asked = level_ == Level::writes_follow_reads;
      return asked || rests_on_a_session() ? writes_follow_reads_violation : causality_violation;
    }
    if (violated(Level::causal)) return causality_violation;
    if (violated(Level::prefix)) return beyond_causal();
    if (violated(Level::snapshot_isolation)) return lost_an_update() ? lost_update : unnamed_cycle;
    if (violated(Level::serializable)) return beyond_snapshots();
    return missed_what_had_ended() ? stale_read : unnamed_cycle;
  }

 private:
  struct Read {
    Txn reader;
    Key key;
    std::vector<Txn> possible;  // whom it can have seen last; kInitialTxn for the initial state
    std::vector<Txn> seen;      // whose writes it shows: for a list more than the last
  };

  bool violated(Level level) const { return violated_[static_cast<std::size_t>(level)]; }

  void collect_reads(Txn t) {
    std::vector<Key> written;
    for (const Op op : h_.operations_of(t)) {
      const OpKind kind = h_.kind(op);
      if (kind == OpKind::list_read) {
        Read read{t, h_.list(op).key, {}, {}};
        for (const Version v : h_.list(op).elements) {
          for (const Txn writer : writers_of(v, t)) read.seen.push_back(writer);
        }
        read.possible.push_back(read.seen.empty() ? kInitialTxn : read.seen.back());
        reads_.push_back(std::move(read));
      } else if (writes(kind)) {
        written.push_back(h_.key(op));
      } else if (kind == OpKind::read &&
                 std::find(written.begin(), written.end(), h_.key(op)) == written.end()) {
        std::vector<Txn> writers = writers_of(h_.version(op), t);
        if (h_.covers(h_.version(op), h_.initial_version(h_.key(op)))) writers.push_back(kInitialTxn);
        reads_.push_back({t, h_.key(op), writers, writers});
      }
    }
  }
  std::vector<Txn> writers_of(Version v, Txn reader) const {
    std::vector<Txn> found;
    for (const Txn t : h_.all_transactions()) {
      if (t == reader || h_.status(t) == Status::aborted) continue;
      const IdRange<Op> ops = h_.operations_of(t);
      for (std::uint32_t i = ops.size(); i-- > 0;) {
        if (!writes(h_.kind(ops[i])) || h_.key(ops[i]) != h_.key_of(v)) continue;
        if (h_.covers(v, h_.version(ops[i]))) found.push_back(t);
        if (h_.kind(ops[i]) != OpKind::append) break;
      }
    }
    return found;
  }
  bool writes_key(Txn t, Key k) const {
    for (const Op op : h_.operations_of(t)) {
      if (writes(h_.kind(op)) && h_.key(op) == k) return true;
    }
    return false;
  }
  static bool has(const std::vector<Txn>& set, Txn t) {
    return std::find(set.begin(), set.end(), t) != set.end();
  }

  // Whether `reader` must have had `writer` before it: it saw a write of it, or ran later in its session.
  bool follows(Txn reader, Txn writer) const {
    if (options_.sessions == check::SessionOrder::keep && writer < reader &&
        h_.session_of(writer) == h_.session_of(reader)) {
      return true;
    }
    return std::any_of(reads_.begin(), reads_.end(),
                       [&](const Read& r) { return r.reader == reader && has(r.seen, writer); });
  }
  // Whether `reader` read some key that `writer` writes and saw something else.
  bool misses(Txn reader, Txn writer) const {
    return reader != writer && std::any_of(reads_.begin(), reads_.end(), [&](const Read& r) {
             return r.reader == reader && writes_key(writer, r.key) && !has(r.seen, writer);
           });
  }

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
    bool only_writes = true, axiom = false, initial = false;
    std::vector<Key> keys;
    for (const std::uint32_t i : proof->cycle) {
      const Step& step = proof->steps[i];
      axiom = axiom || step.rule == Rule::axiom;
      initial = initial || step.rule == Rule::initial;
      const bool replaces = step.rule == Rule::axiom || step.rule == Rule::version_order;
      only_writes = only_writes && replaces;
      if (replaces) keys.push_back(step.key);
    }
    if (initial) return std::nullopt;
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

  // Two readers, each with an update that the other misses; or one reader that misses what came before what
  // it saw.
  Anomaly beyond_causal() const {
    for (const Txn w1 : h_.all_transactions()) {
      for (const Txn w2 : h_.all_transactions()) {
        for (const Txn r1 : h_.all_transactions()) {
          if (w1 == w2 || !follows(r1, w1) || !misses(r1, w2)) continue;
          for (const Txn r2 : h_.all_transactions()) {
            if (r2 != r1 && follows(r2, w2) && misses(r2, w1)) return Anomaly::long_fork;
          }
        }
      }
    }
    return missed_edges(Level::prefix) == 1 ? Anomaly::read_skew : Anomaly::unnamed_cycle;
  }

  std::size_t missed_edges(Level level) const {
    const std::optional<Derivation> proof = contradiction(level);
    if (!proof) return 0;
    return static_cast<std::size_t>(
        std::count_if(proof->cycle.begin(), proof->cycle.end(), [&](std::uint32_t i) {
          const Step& step = proof->steps[i];
          return step.rule == Rule::anti_dependency ||
                 (step.rule == Rule::initial && step.from.txn != kInitialTxn);
        }));
  }

  bool lost_an_update() const {
    for (const Read& a : reads_) {
      for (const Read& b : reads_) {
        if (a.reader == b.reader || a.key != b.key) continue;
        const bool same =
            std::any_of(a.possible.begin(), a.possible.end(), [&](Txn t) { return has(b.possible, t); });
        if (same && writes_key(a.reader, a.key) && writes_key(b.reader, a.key)) return true;
      }
    }
    return false;
  }

  // Two transactions that each read what the other writes and saw it unwritten, or more of them in a circle.
  Anomaly beyond_snapshots() const {
    for (const Txn a : h_.all_transactions()) {
      for (const Txn b : h_.all_transactions()) {
        if (a < b && misses(a, b) && misses(b, a)) return Anomaly::write_skew;
      }
    }
    return missed_edges(Level::serializable) >= 2 ? Anomaly::anti_dependency_cycle : Anomaly::unnamed_cycle;
  }

  bool missed_what_had_ended() const {
    for (const Txn reader : h_.all_transactions()) {
      for (const Txn writer : h_.all_transactions()) {
        const auto end = h_.end(writer), start = h_.start(reader);
        if (misses(reader, writer) && end && start && *end < *start) return true;
      }
    }
    return false;
  }

  const History& h_;
  const Level level_;
  const check::Options& options_;
  std::array<bool, kLevels> violated_{};
  std::optional<BadRead::Kind> bad_;
  std::vector<Read> reads_;
};

}  // namespace

Anomaly classify(const History& smallest, Level level, const check::Options& options) {
  return Classifier(smallest, level, options).classify();
}

}  // namespace assay::evidence
