// Evidence in sentences that a person can check against the input by eye: why one transaction comes before
// another. words/ has what they are made of.
#pragma once

#include <string>

#include "check/outcome.hpp"
#include "history/history.hpp"
#include "report/words/bad_read_words.hpp"
#include "report/words/deed_words.hpp"
#include "report/words/naming.hpp"

namespace assay::report {

// Whether the step's key, or its witness, means anything.
bool has_key(const check::Step& step);
bool has_witness(const check::Step& step);

// Why step.from comes before step.to: a clause without a full stop.
std::string reason(const History& history, const check::Step& step, const Naming& naming);

// What a case assumes (a step of the rule "decision"): a clause without a full stop.
std::string assumption(const History& history, const check::Step& step, const Naming& naming);

}  // namespace assay::report
