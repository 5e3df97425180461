// How the in-memory store keeps a level, as data: what a transaction reads from, how commits travel between
// sites, and what is checked at commit. A fault takes away exactly the rule that prevents one anomaly.
#pragma once

#include <cstdint>
#include <optional>

#include "level/anomaly.hpp"
#include "level/level.hpp"

namespace assay::database {

// In which order a site applies what the other sites committed.
enum class Propagation : std::uint8_t {
  none,    // there is one site, and one order of commits
  causal,  // a transaction after everything that it had seen
  atomic,  // any order, whole transactions
  torn,    // any order, write by write: a fault
};

struct Rules {
  Propagation propagation = Propagation::none;
  bool snapshot_reads = true;   // else every read sees the latest commit
  bool snapshot_ranges = true;  // else range and predicate reads see the latest commit
  // A snapshot may be older than the begin, never older than the session's last transaction.
  bool lagging = false;
  // First committer wins: abort if a key that it writes was overwritten since the snapshot.
  bool check_writes = false;
  // Abort if a key that it reads was; read-only transactions stand at their snapshot.
  bool check_reads = false;
  bool check_updates = true;     // with check_reads: also for the keys that it writes itself
  bool check_ranges = true;      // with check_reads: also for every key that a range or predicate covers
  bool buffer_writes = true;     // else every write takes effect at once
  bool drop_aborted = true;      // else the writes of an aborted transaction take effect
  bool drop_overwritten = true;  // else a write that its own transaction overwrites takes effect first
};

// Whether the store can keep this level.
bool can_keep(Level level);

// REQUIRES: can_keep(level), and the fault has a textbook instance.
Rules rules_of(Level level, std::optional<Anomaly> fault);

// Whether a store that has kept the level so far can begin to let the anomaly through: not if it would need
// other sites.
bool can_begin_later(Level level, Anomaly fault);

}  // namespace assay::database
