#include "record/anomaly.hpp"

#include <array>

#include "level/weakest.hpp"

namespace assay::record {

namespace {

using enum Level;

constexpr std::array<AnomalyInfo, kAnomalies> kTable{{
    {Anomaly::lost_update, "lost-update",
     "Two transactions read the same version of a key and both overwrite it: one update is lost.",
     kFrom<snapshot_isolation>, false},
    {Anomaly::write_skew, "write-skew",
     "Two transactions read the same two keys and each overwrites another of them.", kFrom<serializable>,
     false},
    {Anomaly::long_fork, "long-fork", "Two readers see two independent writes in opposite orders.",
     kFrom<prefix>, false},
    {Anomaly::read_skew, "read-skew",
     "A reader sees one key from before and another from after a transaction that ran between its reads.",
     kFrom<read_atomic>, false},
    {Anomaly::fractured_read, "fractured-read",
     "A reader that runs while a transaction commits sees one of its two writes and not the other.",
     kFrom<read_atomic>, false},
    {Anomaly::causality, "causality", "A reader sees an answer and not the message that it answers.",
     kFrom<writes_follow_reads>, false},  // covers causal, which implies it
    {Anomaly::stale_read, "stale-read",
     "A transaction that starts after an update has ended reads the old version.",
     kFrom<strong_snapshot_isolation>, true},
    {Anomaly::aborted_read, "aborted-read", "A transaction reads what an aborted one wrote.", kEveryLevel,
     false},
    {Anomaly::intermediate_read, "intermediate-read",
     "A transaction reads a version that its writer itself overwrote before it committed.", kEveryLevel,
     false},
    {Anomaly::dirty_write, "dirty-write",
     "Two transactions overwrite each other's uncommitted writes: one wins on one key, the other on the "
     "other.",
     kFrom<read_committed>, false},
    {Anomaly::phantom, "phantom", "A range read that is repeated in one transaction returns a row more.",
     kFrom<read_atomic>, false},
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
  return implies_any(level, info(anomaly).breaks);
}

}  // namespace assay::record
