// One round: decides the assembled history, and brings the state up to date. A violation is told with the
// transactions that show it; these leave, and reading what they wrote counts as evidence no more. That only
// removes constraints, so what is found later is a violation by itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "check/outcome.hpp"
#include "evidence/counterexample.hpp"
#include "history/history.hpp"

namespace assay::watch {

using check::Verdict;

class State;
struct Assembly;

// What one round found. A violation is reported once; watching goes on without the transactions that it
// needs.
struct Round {
  Verdict verdict = Verdict::holds;
  std::string reason;  // undecided: why; violated: what the counterexample cannot show by itself
  // Violated: the few transactions that show it, with the input's names; what the check says of them by
  // themselves, which is not "violated" where it rests on transactions that are no longer kept; and else why.
  // Whoever tells it has nothing left to decide.
  std::optional<History> counterexample;
  check::Outcome outcome;
  std::optional<evidence::Counterexample> explanation;
  std::uint64_t transactions = 0;  // new in this round
  // There may be another violation in what has arrived, or more of it than a round takes: decide again at once.
  bool more = false;
  double seconds = 0;
};

void decide_round(State& state, const Assembly& assembly, Round& round);

}  // namespace assay::watch
