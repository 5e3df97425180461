#include "watch/judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "check/check.hpp"
#include "check/fates.hpp"
#include "check/limits.hpp"
#include "check/reads.hpp"
#include "check/strong.hpp"
#include "check/weak.hpp"
#include "evidence/counterexample.hpp"
#include "history/builder.hpp"
#include "history/replay.hpp"
#include "history/sub_history.hpp"
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
    const check::Outcome outcome = decide(reads);
    switch (outcome.verdict) {
      case Verdict::holds:
        round_.verdict = Verdict::holds;
        return adopt({});
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
    const Level level = state_.options.level;
    if (check::WeakChecker::decides(level)) {
      return std::move(check::check(h_, std::span(&level, 1), options_).front());
    }
    check::Limits limits;
    return check::decide_fates(h_, reads, [&](const check::Reads& r) {
      return check::decide_strong(h_, r, level, options_, limits);
    });
  }

  void undecided(const std::string& reason) {
    round_.verdict = Verdict::undecided;
    round_.reason = reason;
  }

  void violated(const check::Outcome& outcome) {
    round_.verdict = Verdict::violated;
    state_.reported = true;
    const evidence::Counterexample found = evidence::find_counterexample(h_, outcome, options_);
    round_.more = !found.transactions.empty();
    round_.counterexample = tell(state_, h_, found.transactions, state_.options.level);
    std::vector<std::uint8_t> leaves(h_.transactions(), 0);
    for (const Txn t : found.transactions) {
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
