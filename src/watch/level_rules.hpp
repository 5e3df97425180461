// What a level means to a watch: one row per level, and everything that depends on the level looks here.
// docs/watch.md has the rules and why they are safe.
#pragma once

#include <cstdint>

#include "level/level.hpp"

namespace assay::watch {

// The order of what is kept and what has arrived that a round remembers for the next.
enum class OrderKept : std::uint8_t {
  none,
  commits,     // which commits the level's axiom forces before which (forget/weak_order.hpp)
  visibility,  // the same, and besides what is visible to whom by session order and reads-from
  events,      // all that follows by force for begins and commits (check/known_order.hpp)
};

// What leaves.
enum class Forgets : std::uint8_t {
  nothing,         // no rule is proven
  settled,         // what nothing still to come can touch
  beyond_horizon,  // everything may be read again for ever: what is older than a horizon, if there is one
};

struct LevelRules {
  std::uint32_t events;  // per transaction: 2 where begin and commit are told apart
  OrderKept order;
  Forgets forgets;
  bool causal;           // session order and reads-from have no cycle: nobody read what follows him
  bool floor;            // something can precede all that is still to come
  bool own_writes_last;  // a session must see what it wrote itself, however long ago
  Level without_times;   // what is left of the level where no transaction has a time
};

const LevelRules& rules_of(Level level);

}  // namespace assay::watch
