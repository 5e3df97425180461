// When two histories are the same: in every detail, or up to the names of sessions, transactions, keys and
// values.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "history/history.hpp"

namespace assay::testing {

// Everything a history holds except where it came from, one transaction per line, in the input's own names.
std::string describe(const History& history);

// Whether some renaming of sessions (in any order), transactions, keys and values turns one into the other.
// Times are not compared. Says "same" only after it has found the renaming; predicates and bounds are
// compared as they are.
::testing::AssertionResult same_up_to_names(const History& a, const History& b);

}  // namespace assay::testing
