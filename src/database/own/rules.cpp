#include "database/own/rules.hpp"

#include <cassert>

namespace assay::database {

bool can_keep(Level level) {
  switch (level) {
    case Level::read_committed:
    case Level::read_atomic:
    case Level::causal:
    case Level::prefix:
    case Level::snapshot_isolation:
    case Level::serializable:
    case Level::strong_snapshot_isolation:
    case Level::strict_serializable:
      return true;
    default:
      return false;
  }
}

namespace {

// Why each keeps its level (docs/generate.md tells it at length):
//   * read committed: one order of commits; a later read sees a later state.
//   * read atomic: the set of transactions that a site has applied only grows by whole transactions, and of
//     two writes of a key the one later in the common order of stamps counts.
//   * causal: the same, and the set is closed under what its members had seen.
//   * prefix: a snapshot is a prefix of the one order of commits, and grows along a session.
//   * snapshot isolation: the same, and of two overlapping writers of a key one aborts.
//   * serializable: at its commit an update transaction would read what it has read.
Rules kept(Level level) {
  Rules rules;
  switch (level) {
    case Level::read_committed:
      rules.snapshot_reads = false;
      rules.snapshot_ranges = false;
      break;
    case Level::read_atomic:
      rules.propagation = Propagation::atomic;
      break;
    case Level::causal:
      rules.propagation = Propagation::causal;
      break;
    case Level::prefix:
      rules.lagging = true;
      break;
    case Level::snapshot_isolation:
      rules.lagging = true;
      [[fallthrough]];
    case Level::strong_snapshot_isolation:
      rules.check_writes = true;
      break;
    case Level::serializable:
      rules.lagging = true;
      [[fallthrough]];
    default:
      rules.check_reads = true;
      break;
  }
  return rules;
}

}  // namespace

Rules rules_of(Level level, std::optional<Anomaly> fault) {
  Rules rules = kept(level);
  if (!fault) return rules;
  const bool protects_updates = rules.check_reads || rules.check_writes;
  switch (*fault) {
    case Anomaly::lost_update:
      rules.check_writes = false;
      rules.check_updates = false;
      break;
    case Anomaly::write_skew:
      rules.check_reads = false;
      rules.check_writes = protects_updates;
      break;
    case Anomaly::long_fork:  // parallel snapshot isolation (Sovran et al. 2011)
      rules.propagation = Propagation::causal;
      rules.check_reads = false;
      rules.check_writes = protects_updates;
      break;
    case Anomaly::read_skew:
      rules.snapshot_reads = false;
      rules.check_reads = false;
      rules.check_writes = protects_updates;
      break;
    case Anomaly::fractured_read:
      rules.propagation = Propagation::torn;
      rules.check_reads = false;
      break;
    case Anomaly::causality_violation:
      rules.propagation = Propagation::atomic;
      rules.check_reads = false;
      break;
    case Anomaly::stale_read:
      rules.lagging = true;
      break;
    case Anomaly::aborted_read:
      rules.drop_aborted = false;
      break;
    case Anomaly::intermediate_read:
      rules.drop_overwritten = false;
      break;
    case Anomaly::dirty_write:
      rules.buffer_writes = false;
      break;
    case Anomaly::phantom:
      rules.snapshot_ranges = false;
      rules.check_ranges = false;
      break;
    default:
      assert(false && "no textbook instance");
  }
  return rules;
}

bool can_begin_later(Level level, Anomaly fault) {
  return rules_of(level, fault).propagation == rules_of(level, std::nullopt).propagation;
}

}  // namespace assay::database
