#include "watch/judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "check/expand.hpp"
#include "check/check.hpp"
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
#include "watch/compact.hpp"
#include "watch/retired.hpp"
#include "watch/tell.hpp"

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
    admit_late_sessions();
    if (!state_.undecidable.empty()) {
      undecided(state_.undecidable);
      return adopt({});
    }
    const check::Outcome outcome = decide(reads);
    switch (outcome.verdict) {
      case Verdict::holds:
        round_.verdict = Verdict::holds;
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
      return std::move(check::check(h_, std::span(&level, 1), options_).front());
    }
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
        return state_.options.unique_values && !state_.only_added;
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
    const check::Problem problem(
        {h_, reads, check::strong_level(level_here()), true, *options_.clock_drift, assembly_.known});
    check::Limits limits;
    check::Saturation saturation(problem, {}, limits);
    if (saturation.run() != check::Saturation::Result::fixpoint) return false;
    Collection collection = collect(state_, assembly_, problem, saturation);
    compact(state_, assembly_, collection);
    return true;
  }

  // A session that begins when something was dropped already must show that it begins after that: by reading
  // what somebody wrote who does.
  void admit_late_sessions() {
    std::vector<std::uint8_t> late(state_.sessions.size(), 0);
    bool some = false;
    for (std::uint32_t s = 0; s < late.size(); ++s) {
      SessionState& session = state_.sessions[s];
      if (!session.late || assembly_.fresh[s].empty()) continue;
      if (state_.collected) late[s] = 1;
      session.late = false;
      some |= state_.collected;
    }
    if (!some) return;
    std::vector<std::uint8_t> above(h_.transactions(), 0);  // all that is frozen precedes it
    std::vector<Txn> writer(h_.versions(), kInitialTxn);
    std::uint32_t held = 0;
    for (const Txn t : h_.all_transactions()) {
      if (assembly_.is_fresh(t)) {
        above[index(t)] = late[index(h_.session_of(t))] == 0 ? 1 : 0;
      } else {
        above[index(t)] = covers_floor(state_.places[held++].commit) ? 1 : 0;
      }
      if (h_.status(t) == Status::aborted) continue;
      for (const Op op : h_.operations_of(t)) {
        if (writes(h_.kind(op))) writer[index(h_.version(op))] = t;
      }
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (std::uint32_t s = 0; s < late.size(); ++s) {
        if (late[s] == 0 || !begins_above(s, above, writer)) continue;
        late[s] = 0;
        changed = true;
        state_.sessions[s].clock = state_.floor;
        const IdRange<Txn> all = h_.transactions_of(Session{s});
        for (std::uint32_t i = assembly_.kept[s]; i < all.size(); ++i) above[index(all[i])] = 1;
      }
    }
    for (std::uint32_t s = 0; s < late.size(); ++s) {
      if (late[s] == 0) continue;
      state_.undecidable = fmt::format(
          "session {} began when transactions that it may have to precede were gone already: its first "
          "transaction has read nothing recent",
          to_string(state_.sessions[s].name.view()));
    }
  }

  bool covers_floor(const Clock& clock) const {
    for (std::size_t s = 0; s < state_.floor.size(); ++s) {
      if (state_.floor[s] > (s < clock.size() ? clock[s] : 0)) return false;
    }
    return true;
  }

  bool begins_above(std::uint32_t s, std::span<const std::uint8_t> above, std::span<const Txn> writer) const {
    const Txn first = h_.transactions_of(Session{s})[assembly_.kept[s]];
    if (h_.status(first) != Status::committed) return false;
    for (const Op op : h_.operations_of(first)) {
      if (h_.kind(op) != OpKind::read) continue;
      const Txn source = writer[index(h_.version(op))];
      if (source != kInitialTxn && source != first && above[index(source)] != 0) return true;
    }
    return false;
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
      for (const Op op : h_.operations_of(t)) {
        if (!writes(h_.kind(op)) || h_.is_initial(h_.version(op))) continue;
        const Version v = h_.version(op);
        const Atom key = h_.name(h_.key_of(v));
        state_.excused.insert({OwnedAtom(key), OwnedAtom(h_.value(v))});
        if (is_retired(key)) state_.excused.insert({original_key(key), OwnedAtom(h_.value(v))});
      }
    }
    adopt(leaves);
  }

  // The few that show the violation.
  std::vector<Txn> find_transactions(const check::Outcome& outcome) {
    if (assembly_.known.empty()) return evidence::find_counterexample(h_, outcome, options_).transactions;
    check::Options plain = options_;
    plain.known = {};
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
};

}  // namespace

void judge(Watcher::State& state, const Assembly& assembly, Round& round) {
  Judgement(state, assembly, round).run();
}

}  // namespace assay::watch
