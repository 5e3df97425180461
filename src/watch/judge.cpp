#include "watch/judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "check/check.hpp"
#include "check/expand.hpp"
#include "check/fates.hpp"
#include "check/limits.hpp"
#include "check/problem.hpp"
#include "check/reads.hpp"
#include "check/saturate.hpp"
#include "check/strong.hpp"
#include "check/weak.hpp"
#include "evidence/counterexample.hpp"
#include "history/builder.hpp"
#include "history/rebuild.hpp"
#include "history/sub_history.hpp"
#include "watch/collect.hpp"
#include "watch/collect_weak.hpp"
#include "watch/compact.hpp"
#include "watch/retired.hpp"
#include "watch/session_clocks.hpp"
#include "watch/tell.hpp"
#include "watch/weak_order.hpp"

namespace assay::watch {

namespace {

class Judgement {
 public:
  Judgement(Watcher::State& state, const Assembly& assembly, Round& round)
      : state_(state), assembly_(assembly), h_(assembly.history), round_(round) {
    options_.clock_drift = std::chrono::nanoseconds(state.options.clock_drift);
    options_.known = assembly.known;
  }

  void run() {
    if (assembly_.repeated_value) {
      state_.values_repeat(fmt::format("key {}: a value was written twice", *assembly_.repeated_value));
    }
    const check::Reads reads = check::resolve_reads(h_);
    if (reads.ambiguous_sets() > 0) {
      const Key key = reads.key(reads.candidates(0)[0]);
      state_.values_repeat(
          fmt::format("key {}: a value that was read was written twice", to_string(h_.name(key))));
    }
    if (!state_.undecidable.empty()) {
      undecided(state_.undecidable);
      return adopt({});
    }
    if (leave_out_what_is_too_late() || leave_out_reads_of_what_is_forgotten(reads)) return;
    const check::Outcome outcome = decide(reads);
    switch (outcome.verdict) {
      case Verdict::holds:
        round_.verdict = Verdict::holds;
        if (!state_.unjudged.empty()) undecided(state_.unjudged);
        if (!drop_what_is_settled(reads)) adopt({});
        return;
      case Verdict::undecided:
        undecided(outcome.reason);
        return adopt({});
      case Verdict::violated:
        if (!state_.options.unique_values && state_.any_open()) {
          undecided(
              "what has arrived violates the level, unless a transaction still to come wrote one of the "
              "values that were read: values repeat");
          return adopt({});
        }
        return violated(outcome);
    }
  }

 private:
  check::Outcome decide(const check::Reads& reads) {
    const Level level = level_here();
    if (check::WeakChecker::decides(level)) {
      // Who can have deleted a row that a query did not return may still be to come.
      if (check::has_queries(h_)) return check::WeakChecker(h_, reads, options_).decide(level);
      check::Outcome outcome = std::move(check::check(h_, std::span(&level, 1), options_).front());
      if (outcome.verdict != Verdict::holds || !has_weak_order(level)) return outcome;
      if (!state_.collected && !may_drop()) return outcome;
      // By itself it holds; what is known from transactions that are gone may contradict it.
      weak_order_ = weak_order(state_, assembly_, reads);
      if (weak_order_->cycle.empty()) return outcome;
      rests_on_what_is_gone_ = true;
      check::Outcome violated;
      violated.level = level;
      violated.verdict = Verdict::violated;
      violated.core = weak_order_->cycle;
      return violated;
    }
    rests_on_what_is_gone_ = !assembly_.known.empty();
    check::Limits limits;
    return check::decide_fates(h_, reads, [&](const check::Reads& r) {
      return check::decide_strong(h_, r, level, options_, limits);
    });
  }

  // A rule for dropping is proven for these levels, and for histories of registers with distinct values.
  bool may_drop() const {
    switch (state_.options.level) {
      case Level::serializable:
      case Level::strict_serializable:
      case Level::snapshot_isolation:
      case Level::strong_snapshot_isolation:
      case Level::causal:
      case Level::prefix:
        return state_.options.unique_values && !state_.only_added;
      case Level::read_committed:
      case Level::monotonic_atomic_view:
      case Level::read_atomic:
        return state_.options.unique_values && !state_.only_added && state_.options.horizon > 0;
      default:
        return false;
    }
  }

  // Where times were seen but none of those that are here has one, real time says nothing.
  Level level_here() const {
    if (!state_.timed || h_.has_times()) return state_.options.level;
    switch (state_.options.level) {
      case Level::strict_serializable:
        return Level::serializable;
      case Level::strong_snapshot_isolation:
        return Level::snapshot_isolation;
      default:
        return state_.options.level;
    }
  }

  bool drop_what_is_settled(const check::Reads& reads) {
    if (!may_drop()) return false;
    if (weak_order_) {
      const bool causal = state_.options.level == Level::causal;
      Collection collection = (causal ? collect_causal : collect_beyond_horizon)(state_, assembly_, reads,
                                                                                 *std::move(weak_order_));
      compact(state_, assembly_, collection);
      return true;
    }
    const check::Problem problem(
        {h_, reads, check::strong_level(level_here()), true, *options_.clock_drift, assembly_.known});
    check::Limits limits;
    check::Saturation saturation(problem, {}, limits);
    if (saturation.run() != check::Saturation::Result::fixpoint) return false;
    Collection collection = collect(state_, assembly_, problem, saturation);
    compact(state_, assembly_, collection);
    return true;
  }

  // At read committed and read atomic nothing precedes all that is still to come: whatever a transaction
  // needs besides what it read is kept.
  bool has_floor() const {
    return !has_weak_order(state_.options.level) || state_.options.level == Level::causal;
  }

  // A session that begins when something was dropped already must show that it begins after that: by reading
  // what somebody wrote who does. What it did before that cannot be judged, and leaves.
  bool leave_out_what_is_too_late() {
    std::vector<std::uint8_t> late(state_.sessions.size(), 0);
    bool some = false;
    for (std::uint32_t s = 0; s < late.size(); ++s) {
      SessionState& session = state_.sessions[s];
      if (!session.late || assembly_.fresh[s].empty()) continue;
      if (state_.collected && has_floor()) late[s] = 1;
      if (late[s] == 0) session.late = false;
      some |= late[s] != 0;
    }
    if (!some) return false;
    std::vector<std::uint8_t> above(h_.transactions(), 0);  // all that is frozen precedes it
    std::vector<Txn> writer(h_.versions(), kInitialTxn);
    std::uint32_t held = 0;
    for (const Txn t : h_.all_transactions()) {
      if (assembly_.is_fresh(t)) {
        above[index(t)] = late[index(h_.session_of(t))] == 0 ? 1 : 0;
      } else {
        const Place& place = state_.places[held++];
        above[index(t)] =
            covers_floor(state_.options.level == Level::causal ? place.begin : place.commit) ? 1 : 0;
      }
      if (h_.status(t) == Status::aborted) continue;
      for (const Op op : h_.operations_of(t)) {
        if (writes(h_.kind(op))) writer[index(h_.version(op))] = t;
      }
    }
    // Per session: the first of its transactions that is shown to be above; all after it are.
    std::vector<std::uint32_t> first(late.size(), 0);
    for (std::uint32_t s = 0; s < late.size(); ++s) first[s] = h_.transactions_of(Session{s}).size();
    for (bool changed = true; changed;) {
      changed = false;
      for (std::uint32_t s = 0; s < late.size(); ++s) {
        const IdRange<Txn> all = h_.transactions_of(Session{s});
        for (std::uint32_t i = assembly_.kept[s]; late[s] != 0 && i < first[s]; ++i) {
          if (!read_from_above(all[i], above, writer)) continue;
          for (std::uint32_t j = i; j < first[s]; ++j) above[index(all[j])] = 1;
          first[s] = i;
          changed = true;
        }
      }
    }
    std::vector<std::uint8_t> leaves(h_.transactions(), 0);
    bool some_leave = false;
    for (std::uint32_t s = 0; s < late.size(); ++s) {
      if (late[s] == 0) continue;
      const IdRange<Txn> all = h_.transactions_of(Session{s});
      if (first[s] < all.size()) {
        SessionState& session = state_.sessions[s];
        session.late = false;
        session.clock = later(std::move(session.clock), state_.floor);
        session.visible = later(std::move(session.visible), state_.floor);
      }
      for (std::uint32_t i = assembly_.kept[s]; i < first[s]; ++i) {
        leaves[index(all[i])] = 1;
        some_leave = true;
        excuse(all[i]);
      }
      if (first[s] == assembly_.kept[s]) continue;
      state_.unjudged = fmt::format(
          "session {} began when transactions that it may have to precede were gone already: what it did "
          "before it read something recent was not judged",
          to_string(state_.sessions[s].name.view()));
    }
    if (!some_leave) return false;
    undecided(state_.unjudged);
    round_.more = true;
    adopt(leaves);
    return true;
  }

  // Beyond the horizon what was written cannot be told from what never was.
  bool leave_out_reads_of_what_is_forgotten(const check::Reads& reads) {
    if (!state_.collected || has_floor()) return false;
    bool some = false;
    for (const check::BadRead& bad : reads.bad_reads()) {
      if (bad.kind != check::BadRead::Kind::thin_air) continue;
      const Version v = h_.version(bad.read);
      state_.excused.insert({OwnedAtom(h_.name(h_.key_of(v))), OwnedAtom(h_.value(v))});
      if (!some) {
        state_.unjudged = fmt::format(
            "transaction {} read a value of key {} that nobody wrote, or that was overwritten so long ago "
            "that "
            "it is forgotten (--horizon)",
            to_string(h_.name(bad.txn)), to_string(h_.name(h_.key_of(v))));
      }
      some = true;
    }
    if (!some) return false;
    undecided(state_.unjudged);
    round_.more = true;
    adopt({});
    return true;
  }

  bool covers_floor(const Clock& clock) const {
    for (std::size_t s = 0; s < state_.floor.size(); ++s) {
      if (state_.floor[s] > (s < clock.size() ? clock[s] : 0)) return false;
    }
    return true;
  }

  bool read_from_above(Txn t, std::span<const std::uint8_t> above, std::span<const Txn> writer) const {
    if (h_.status(t) != Status::committed) return false;
    for (const Op op : h_.operations_of(t)) {
      if (h_.kind(op) != OpKind::read) continue;
      const Txn source = writer[index(h_.version(op))];
      if (source != kInitialTxn && source != t && above[index(source)] != 0) return true;
    }
    return false;
  }

  // Reading what it wrote is no evidence any more.
  void excuse(Txn t) {
    for (const Op op : h_.operations_of(t)) {
      if (!writes(h_.kind(op)) || h_.is_initial(h_.version(op))) continue;
      const Version v = h_.version(op);
      const Atom key = h_.name(h_.key_of(v));
      state_.excused.insert({OwnedAtom(key), OwnedAtom(h_.value(v))});
      if (is_retired(key)) state_.excused.insert({original_key(key), OwnedAtom(h_.value(v))});
    }
  }

  void undecided(const std::string& reason) {
    round_.verdict = Verdict::undecided;
    round_.reason = reason;
  }

  void violated(const check::Outcome& outcome) {
    round_.verdict = Verdict::violated;
    state_.reported = true;
    const std::vector<Txn> involved = find_transactions(outcome);
    round_.more = !involved.empty();
    round_.counterexample = tell(state_, h_, involved, state_.options.level);
    if (!violates_alone(*round_.counterexample)) say_what_is_known(involved);
    std::vector<std::uint8_t> leaves(h_.transactions(), 0);
    for (const Txn t : involved) {
      leaves[index(t)] = 1;
      excuse(t);
    }
    adopt(leaves);
  }

  // The few that show the violation.
  std::vector<Txn> find_transactions(const check::Outcome& outcome) {
    check::Options plain = options_;
    plain.known = {};
    if (!rests_on_what_is_gone_) return evidence::find_counterexample(h_, outcome, plain).transactions;
    std::vector<Txn> core = outcome.core;
    if (!outcome.bad_reads.empty()) {
      core.clear();
      const check::BadRead& bad = outcome.bad_reads.front();
      core.push_back(bad.txn);
      if (bad.write != bad.read && h_.transaction_of(bad.write) != bad.txn) {
        core.push_back(h_.transaction_of(bad.write));
      }
    }
    std::sort(core.begin(), core.end());
    core.erase(std::unique(core.begin(), core.end()), core.end());
    // Often they do so by themselves; then the smallest part of them is enough.
    const SubHistory part = sub_history(h_, core);
    const Level level = state_.options.level;
    const check::Outcome alone = std::move(check::check(part.history, std::span(&level, 1), plain).front());
    if (alone.verdict == Verdict::violated) {
      std::vector<Txn> found = evidence::find_counterexample(part.history, alone, plain).transactions;
      for (Txn& t : found) t = part.transactions[index(t)];
      return found;
    }
    return core;
  }

  bool violates_alone(const History& history) const {
    check::Options plain = options_;
    plain.known = {};
    const Level level = state_.options.level;
    return check::check(history, std::span(&level, 1), plain).front().verdict == Verdict::violated;
  }

  // Order between them that rests on transactions which are gone.
  void say_what_is_known(std::span<const Txn> core) {
    const auto member = [&](Txn t) { return std::binary_search(core.begin(), core.end(), t); };
    std::string text;
    for (const check::Precedence& pair : assembly_.known) {
      if (!member(pair.before.txn) || !member(pair.after.txn)) continue;
      text += fmt::format("{}{} before {}", text.empty() ? "" : ", ", to_string(h_.name(pair.before.txn)),
                          to_string(h_.name(pair.after.txn)));
    }
    round_.reason = text.empty() ? "it rests on the order of transactions that are no longer kept"
                                 : fmt::format("known from transactions that are no longer kept: {}", text);
  }

  // What was judged is kept, but for the transactions that leave.
  void adopt(std::span<const std::uint8_t> leaves) { compact(state_, assembly_, leaves); }

  Watcher::State& state_;
  const Assembly& assembly_;
  const History& h_;
  Round& round_;
  check::Options options_;
  std::optional<WeakOrder> weak_order_;  // at the levels that have one, once decided
  bool rests_on_what_is_gone_ = false;   // the verdict may
};

}  // namespace

void judge(Watcher::State& state, const Assembly& assembly, Round& round) {
  Judgement(state, assembly, round).run();
}

}  // namespace assay::watch
