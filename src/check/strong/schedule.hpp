// Try to run the history: a transaction may run when all that is known to precede it ran, what it reads is
// current, and what it overwrites has no reader left to come (Biswas and Enea's valid extension, taken
// greedily). Where begin and commit are separate, a transaction that cannot run whole may begin first and
// commit later; at snapshot isolation it then keeps others from writing its keys. If nothing can run, one
// transaction is forced. A run without force is a witness; one with force is a good order to start the search
// from.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "check/limits.hpp"
#include "check/strong/problem.hpp"

namespace assay::check {

struct Schedule {
  std::vector<Node> order;   // of all nodes, consistent with the known order
  std::uint32_t forced = 0;  // how often a transaction was run although something it needs was not so
  bool known_cycle = false;  // the known order has a cycle: `order` is incomplete
};

// `by`, if given, lists all nodes: whoever comes first in it runs first, if it may.
// Stops early, with an incomplete order, if a limit is reached: ask `limits` afterwards.
Schedule run_greedily(const Problem& problem, Limits& limits, std::span<const Node> by = {});

}  // namespace assay::check
