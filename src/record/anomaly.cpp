#include "record/anomaly.hpp"

#include <algorithm>
#include <array>

namespace assay::record {

namespace {

using enum Level;

constexpr std::array<Level, 1> kFromSnapshot{snapshot_isolation};
constexpr std::array<Level, 1> kFromSerializable{serializable};
constexpr std::array<Level, 1> kFromPrefix{prefix};
constexpr std::array<Level, 1> kFromReadAtomic{read_atomic};
// Causal implies writes-follow-reads, so this covers causal and all above it.
constexpr std::array<Level, 1> kFromWritesFollowReads{writes_follow_reads};
constexpr std::array<Level, 1> kFromStrongSnapshot{strong_snapshot_isolation};
constexpr std::array<Level, 1> kFromReadCommitted{read_committed};
constexpr std::array<Level, 6> kEveryLevel{read_your_writes,    monotonic_reads, monotonic_writes,
                                           writes_follow_reads, read_committed,  repeatable_read};

constexpr std::array<AnomalyInfo, kAnomalies> kTable{{
    {Anomaly::lost_update, "lost-update",
     "Two transactions read the same version of a key and both overwrite it: one update is lost.",
     kFromSnapshot, false},
    {Anomaly::write_skew, "write-skew",
     "Two transactions read the same two keys and each overwrites another of them.", kFromSerializable,
     false},
    {Anomaly::long_fork, "long-fork", "Two readers see two independent writes in opposite orders.",
     kFromPrefix, false},
    {Anomaly::read_skew, "read-skew",
     "A reader sees one key from before and another from after a transaction that ran between its reads.",
     kFromReadAtomic, false},
    {Anomaly::fractured_read, "fractured-read",
     "A reader that runs while a transaction commits sees one of its two writes and not the other.",
     kFromReadAtomic, false},
    {Anomaly::causality, "causality", "A reader sees an answer and not the message that it answers.",
     kFromWritesFollowReads, false},
    {Anomaly::stale_read, "stale-read",
     "A transaction that starts after an update has ended reads the old version.", kFromStrongSnapshot, true},
    {Anomaly::aborted_read, "aborted-read", "A transaction reads what an aborted one wrote.", kEveryLevel,
     false},
    {Anomaly::intermediate_read, "intermediate-read",
     "A transaction reads a version that its writer itself overwrote before it committed.", kEveryLevel,
     false},
    {Anomaly::dirty_write, "dirty-write",
     "Two transactions overwrite each other's uncommitted writes: one wins on one key, the other on the "
     "other.",
     kFromReadCommitted, false},
    {Anomaly::phantom, "phantom", "A range read that is repeated in one transaction returns a row more.",
     kFromReadAtomic, false},
}};

}  // namespace

std::span<const AnomalyInfo> anomalies() {
  return kTable;
}

const AnomalyInfo& info(Anomaly anomaly) {
  return kTable[static_cast<std::size_t>(anomaly)];
}

std::optional<Anomaly> find_anomaly(std::string_view name) {
  for (const AnomalyInfo& row : kTable) {
    if (row.name == name) return row.anomaly;
  }
  return std::nullopt;
}

bool breaks(Anomaly anomaly, Level level) {
  const auto weakest = info(anomaly).breaks;
  return std::any_of(weakest.begin(), weakest.end(), [&](Level broken) { return implies(level, broken); });
}

}  // namespace assay::record
