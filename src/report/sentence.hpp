// Evidence in sentences that a person can check against the input by eye: why a read is impossible, why one
// transaction comes before another. The texts speak of transactions through a Naming, so that the same
// sentence can use short labels where a list explains them and full names where it stands alone.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "check/outcome.hpp"
#include "history/history.hpp"

namespace assay::report {

using Naming = std::function<std::string(Txn)>;

// "transaction 12 of session 3", in the input's own ids.
std::string full_name(const History& history, Txn txn);

// "r(x)=5", "w(x)=6", "r(x)=initial", "append(x)=7", "r(x)=[6,7]".
std::string operation(const History& history, Op op);

// The field's name for it: "aborted-read", "thin-air-read", ...
std::string_view anomaly(check::BadRead::Kind kind);

// The key that a bad read is about; none for a predicate.
std::optional<Key> key_of(const History& history, const check::BadRead& bad);

std::string sentence(const History& history, const check::BadRead& bad);

// Whether the step's key, or its witness, means anything.
bool has_key(const check::Step& step);
bool has_witness(const check::Step& step);

// Why step.from comes before step.to: a clause without a full stop.
std::string reason(const History& history, const check::Step& step, const Naming& naming);

// What a case assumes (a step of the rule "decision"): a clause without a full stop.
std::string assumption(const History& history, const check::Step& step, const Naming& naming);

}  // namespace assay::report
