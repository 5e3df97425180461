// Tables (keys that are texts and start with a prefix) that others may write unseen. There a read of a version that
// nobody in the history wrote is no evidence, and that something was not there is none. What is left is evidence
// at every level (docs/levels.md says why), so a history without the rest is judged like any other.
#pragma once

#include <span>
#include <string>

#include "history/history.hpp"

namespace assay {

// Keys and transactions keep their numbers; a note says how much went.
History without_unseen(const History& history, std::span<const std::string> open_tables);

}  // namespace assay
