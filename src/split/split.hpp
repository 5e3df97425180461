// Decides a history part by part where it falls into parts that share no key, several at a time, and puts together what
// they came to. A verdict is always that of the whole: docs/scale.md has the theorem.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "check/options.hpp"
#include "check/outcome.hpp"
#include "history/history.hpp"
#include "level/level.hpp"

namespace assay::split {

// As check::check(). With a pattern of tenants (tenant_pattern.hpp) their keys stay together and the parts are these
// tenants; without one a large history is divided where that cannot be in vain, if there are several threads.
std::vector<check::Outcome> decide(const History& history, std::span<const Level> levels,
                                   const check::Options& options,
                                   const std::optional<std::string>& tenants = std::nullopt);

}  // namespace assay::split
