// Why a read is impossible at every level, in a sentence.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "check/outcome.hpp"
#include "history/history.hpp"

namespace assay::report {

// The field's name for it: "aborted-read", "thin-air-read", ...
std::string_view anomaly(const History& history, const check::BadRead& bad);

// The key that a bad read is about; none for a predicate.
std::optional<Key> key_of(const History& history, const check::BadRead& bad);

std::string sentence(const History& history, const check::BadRead& bad);

}  // namespace assay::report
