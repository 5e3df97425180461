#include "watch/round.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "check/check.hpp"
#include "check/known_order.hpp"
#include "check/reads.hpp"
#include "evidence/counterexample.hpp"
#include "history/sub_history.hpp"
#include "watch/assembly.hpp"
#include "watch/forget/compact.hpp"
#include "watch/forget/forget.hpp"
#include "watch/forget/forget_weak.hpp"
#include "watch/forget/weak_order.hpp"
#include "watch/input_names.hpp"
#include "watch/keep/state.hpp"
#include "watch/late_sessions.hpp"
#include "watch/level_rules.hpp"

namespace assay::watch {

namespace {

constexpr const char* kWriterNotHeardOf =
    "transactions wait for what they read: a session that was not heard of may have written it";

class RoundDecision {
 public:
  RoundDecision(State& state, const Assembly& assembly, Round& round)
      : state_(state),
        assembly_(assembly),
        h_(assembly.history),
        round_(round),
        rules_(rules_of(state.options.level)) {
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
    look_at_late_sessions(state_, assembly_);
    if (drop_forgotten_reads(reads)) return decide_again();
    const check::Outcome outcome = decide(reads);
    switch (outcome.verdict) {
      case Verdict::holds:
        round_.verdict = Verdict::holds;
        if (!state_.sessions_known && state_.waiting > 0) undecided(kWriterNotHeardOf);
        if (!state_.left_out.empty()) undecided(state_.left_out);
        if (!forget(reads)) adopt({});
        return;
      case Verdict::undecided:
        undecided(outcome.reason);
        return adopt({});
      case Verdict::violated:
        if (!state_.options.unique_values && state_.any_to_come()) {
          undecided(
              "what has arrived violates the level, unless a transaction still to come wrote one of the "
              "values that were read: values repeat");
          return adopt({});
        }
        return violated(outcome);
    }
  }

 private:
  // Where times were seen but none of those that are here has one, real time says nothing.
  Level level_here() const {
    return state_.timed && !h_.has_times() ? rules_.without_times : state_.options.level;
  }

  bool keeps_weak_order() const {
    return rules_.order == OrderKept::commits || rules_.order == OrderKept::visibility;
  }

  // The rules are proven for histories of registers with distinct values.
  bool may_forget() const {
    if (!state_.options.unique_values || state_.only_added) return false;
    switch (rules_.forgets) {
      case Forgets::nothing:
        return false;
      case Forgets::settled:
        return state_.sessions_known;
      case Forgets::beyond_horizon:
        return state_.options.horizon > 0;
    }
    return false;
  }

  // Queries say nothing here: who can have deleted a row that one did not return may still be to come.
  check::Outcome decide(const check::Reads& reads) {
    check::Outcome outcome = check::check(h_, reads, level_here(), options_);
    if (rules_.order == OrderKept::events) rests_on_what_is_gone_ = !assembly_.known.empty();
    if (outcome.verdict != Verdict::holds || !keeps_weak_order()) return outcome;
    if (!state_.has_forgotten && !may_forget()) return outcome;
    // By itself it holds; what is known from transactions that are gone may contradict it.
    weak_order_ = weak_order(state_, assembly_, reads);
    if (weak_order_->cycle.empty()) return outcome;
    rests_on_what_is_gone_ = true;
    check::Outcome violated;
    violated.level = state_.options.level;
    violated.verdict = Verdict::violated;
    violated.core = weak_order_->cycle;
    return violated;
  }

  bool forget(const check::Reads& reads) {
    if (!may_forget()) return false;
    if (weak_order_) {
      const auto rule = rules_.forgets == Forgets::settled ? forget_causal : forget_beyond_horizon;
      Forgetting forgetting = rule(state_, assembly_, reads, *std::move(weak_order_));
      compact(state_, assembly_, forgetting);
      return true;
    }
    const std::optional<check::KnownOrder> order = check::known_order(h_, reads, level_here(), options_);
    if (!order) return false;
    Forgetting forgetting = forget_settled(state_, assembly_, reads, *order);
    compact(state_, assembly_, forgetting);
    return true;
  }

  // Beyond the horizon what was written cannot be told from what never was.
  bool drop_forgotten_reads(const check::Reads& reads) {
    if (!state_.has_forgotten || rules_.forgets != Forgets::beyond_horizon) return false;
    bool some = false;
    for (const check::BadRead& bad : reads.bad_reads()) {
      if (bad.kind != check::BadRead::Kind::thin_air) continue;
      const Version v = h_.version(bad.read);
      state_.excused.insert({OwnedAtom(h_.name(h_.key_of(v))), OwnedAtom(h_.value(v))});
      if (!some) {
        state_.left_out = fmt::format(
            "transaction {} read a value of key {} that nobody wrote, or that was overwritten so long ago "
            "that it is forgotten (beyond the horizon)",
            to_string(h_.name(bad.txn)), to_string(h_.name(h_.key_of(v))));
      }
      some = true;
    }
    return some;
  }

  void undecided(const std::string& reason) {
    round_.verdict = Verdict::undecided;
    round_.reason = reason;
  }

  // Without what was left out.
  void decide_again() {
    undecided(state_.left_out);
    round_.more = true;
    adopt({});
  }

  void violated(const check::Outcome& outcome) {
    const std::vector<Txn> involved = find_transactions(outcome);
    round_.more = !involved.empty();
    show(involved);
    if (state_.trusted.empty() || proves_itself()) {
      round_.verdict = Verdict::violated;
      state_.reported = true;
    } else {
      leave_out(involved);
    }
    std::vector<std::uint8_t> leaves(h_.transactions(), 0);
    for (const Txn t : involved) {
      leaves[index(t)] = 1;
      state_.excuse(h_, t);
    }
    adopt(leaves);
  }

  // What is shown violates the level whatever else happened.
  bool proves_itself() const {
    return round_.outcome.verdict == Verdict::violated &&
           std::none_of(round_.outcome.bad_reads.begin(), round_.outcome.bad_reads.end(),
                        [](const check::BadRead& bad) { return bad.kind == check::BadRead::Kind::thin_air; });
  }

  // It looks like a violation, but only if a session came after what is gone that need not have.
  void leave_out(std::span<const Txn> involved) {
    state_.left_out = fmt::format(
        "transaction {} would violate the level if it was certain that a session ({}) came after what was "
        "settled "
        "and forgotten before it, or had sent all it wrote",
        involved.empty() ? "?" : to_string(h_.name(involved.back())), state_.trusted);
    undecided(state_.left_out);
    round_.counterexample.reset();
    round_.explanation.reset();
    round_.outcome = {};
  }

  // The few that show the violation.
  std::vector<Txn> find_transactions(const check::Outcome& outcome) const {
    if (!rests_on_what_is_gone_) return evidence::find_counterexample(h_, outcome, plain()).transactions;
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
    const check::Outcome alone = decide_alone(part.history);
    if (alone.verdict == Verdict::violated) {
      std::vector<Txn> found = evidence::find_counterexample(part.history, alone, plain()).transactions;
      for (Txn& t : found) t = part.transactions[index(t)];
      return found;
    }
    return core;
  }

  // Tells them in the input's names, with what is to be said of them: nobody needs to decide that again.
  void show(std::span<const Txn> involved) {
    const History& shown = round_.counterexample.emplace(in_input_names(state_, assembly_, involved));
    round_.outcome = decide_alone(shown);
    if (round_.outcome.verdict == Verdict::violated) {
      round_.explanation = evidence::find_counterexample(shown, round_.outcome, plain());
    } else {
      say_what_is_known(involved);
    }
  }

  // Without what is known from transactions that are gone.
  check::Options plain() const {
    check::Options options = options_;
    options.known = {};
    return options;
  }
  check::Outcome decide_alone(const History& history) const {
    return std::move(check::check(history, std::span(&state_.options.level, 1), plain()).front());
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

  // What was decided is kept, but for the transactions that leave.
  void adopt(std::span<const std::uint8_t> leaves) { compact(state_, assembly_, leaves); }

  State& state_;
  const Assembly& assembly_;
  const History& h_;
  Round& round_;
  const LevelRules& rules_;
  check::Options options_;
  std::optional<WeakOrder> weak_order_;  // at the levels that have one, once decided
  bool rests_on_what_is_gone_ = false;   // the verdict may
};

}  // namespace

void decide_round(State& state, const Assembly& assembly, Round& round) {
  RoundDecision(state, assembly, round).run();
}

}  // namespace assay::watch
