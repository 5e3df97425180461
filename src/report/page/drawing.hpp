// One violated level as the page tells it: the name, the sentences, the scenes with their steps.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "check/outcome.hpp"
#include "history/history.hpp"
#include "report/page/page_limits.hpp"
#include "report/page/transactions.hpp"
#include "report/story.hpp"

namespace assay::report {

// `story` is that of the outcome, if it has one. Marks in `chosen` what it speaks of.
nlohmann::ordered_json page_story(const History& history, const check::Outcome& outcome,
                                  const std::optional<Story>& story, const PageLimits& limits,
                                  PageTransactions& chosen);

}  // namespace assay::report
