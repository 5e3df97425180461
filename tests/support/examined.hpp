// Examinations for tests of reports: made by hand, or of what the engine says.
#pragma once

#include <memory>
#include <span>

#include "evidence/examination.hpp"
#include "evidence/examine.hpp"
#include "history/history.hpp"

namespace assay {

// Borrows: the history must outlive what is returned.
inline std::shared_ptr<const History> borrowed(const History& history) {
  return {std::shared_ptr<const History>(), &history};
}

// As if the engine had said so; nothing is explained.
inline evidence::Examination examined(const History& history, std::span<const check::Outcome> outcomes) {
  evidence::Examination found;
  found.history = borrowed(history);
  found.outcomes.assign(outcomes.begin(), outcomes.end());
  return found;
}

}  // namespace assay
