// How a history falls into parts that share no key, so that each can be decided by itself: docs/scale.md says when the
// parts tell all about the whole.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "check/options.hpp"
#include "history/history.hpp"
#include "split/tenant_pattern.hpp"

namespace assay::split {

struct Division {
  std::vector<std::uint32_t> part_of;  // per transaction
  std::uint32_t parts = 0;
  std::vector<std::uint32_t> sizes() const;  // transactions of each part
};

// Whether a history can be divided at all: not if a query asks for keys that it did not return, for these can be of any
// tenant, nor if something is left out of it.
bool can_be_divided(const History& history);

// The finest division: whoever touches two keys joins them, and so do keys of one tenant. A transaction without keys goes
// with its neighbour in the session. REQUIRES: can_be_divided(history).
Division divide(const History& history, const std::optional<TenantPattern>& tenants);

// Joins what lies on a circle of sessions and parts. What is left is a forest, of which the parts tell all at every level.
Division made_a_forest(const History& history, const Division& fine, check::SessionOrder sessions);

// Joins neighbours until each part has about `least` transactions or more. A forest stays one.
Division with_larger_parts(const History& history, const Division& forest, check::SessionOrder sessions,
                           std::uint64_t least);

// Joins the parts that have the same number here. REQUIRES: a number for each part.
Division joined(const Division& division, const std::vector<std::uint32_t>& group_of);

}  // namespace assay::split
