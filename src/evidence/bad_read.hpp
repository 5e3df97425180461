// What a read that no order explains is called, and what about it is wrong, as far as its kind does not say.
#pragma once

#include <optional>

#include "check/outcome.hpp"
#include "history/history.hpp"
#include "level/anomaly.hpp"

namespace assay::evidence {

// The anomaly that the read is, by what it shows itself.
Anomaly anomaly_of(const History& history, const check::BadRead& bad);

// An element that stands in the list twice.
std::optional<Version> repeated_element(const History& history, const check::BadRead& bad);

// The first element of the list that nobody appended. Linear in the history.
std::optional<Version> never_appended(const History& history, const check::BadRead& bad);

// Of a list with an element whose writer aborted: the append of an element behind it whose writer did not. A
// dirty update: what committed stands on what was rolled back. Linear in the history.
std::optional<Op> appended_to_aborted(const History& history, const check::BadRead& bad);

}  // namespace assay::evidence
