// Thousands of impossible reads at a glance: how many of each kind, where, by whom and when.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>

#include "check/outcome.hpp"
#include "history/history.hpp"
#include "report/page/page_limits.hpp"

namespace assay::report {

nlohmann::ordered_json bad_read_counts(const History& history, std::span<const check::BadRead> reads,
                                       const PageLimits& limits);

}  // namespace assay::report
