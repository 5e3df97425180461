// Puts together the orders of events that the parts of a history satisfy a level in.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "check/options.hpp"
#include "check/outcome.hpp"
#include "history/history.hpp"
#include "level/level.hpp"
#include "split/division.hpp"

namespace assay::split {

struct Merged {
  // Of all parts, each in its own order, with the order of sessions and of time between them; empty if there is none.
  std::vector<check::Event> order;
  // There is none: parts of which each waits for the next, and the last for the first.
  std::vector<std::vector<std::uint32_t>> circles;
};

// Linear but for sorting times. REQUIRES: an order for each part, of the transactions of the whole.
Merged merge(const History& whole, const Division& division,
             std::span<const std::vector<check::Event>> orders, Level level, const check::Options& options);

}  // namespace assay::split
