#include "evidence/anomaly.hpp"

#include <array>

#include "level/weakest.hpp"

namespace assay::evidence {

namespace {

using enum Level;

// All levels that know an order of commits.
constexpr std::array<Level, 5> kEveryOrder{read_your_writes, monotonic_reads, monotonic_writes,
                                           writes_follow_reads, read_committed};

constexpr std::array<AnomalyInfo, kAnomalies> kTable{{
    {Anomaly::internal_inconsistency, "internal-inconsistency", "internal inconsistency", "", kEveryLevel,
     "A transaction cannot rely on its own writes: code that writes a row and reads it back works on "
     "something else."},
    {Anomaly::future_read, "future-read", "future read", "", kEveryLevel,
     "A transaction saw a value before it wrote it: what was read and what was written cannot be told "
     "apart."},
    {Anomaly::thin_air_read, "thin-air-read", "thin-air read", "", kEveryLevel,
     "Data appeared that no client wrote: corruption, or a writer that the recording does not show."},
    {Anomaly::aborted_read, "aborted-read", "aborted read", "G1a", kEveryLevel,
     "Decisions were made on data that was rolled back and officially never existed."},
    {Anomaly::intermediate_read, "intermediate-read", "intermediate read", "G1b", kEveryLevel,
     "Half-finished work was visible: invariants that a transaction restores before it commits do not "
     "protect readers."},
    {Anomaly::incompatible_order, "incompatible-order", "incompatible list order", "", kEveryLevel,
     "Two readers disagree about the past of one list: one of them saw something that was later rewritten."},
    {Anomaly::dirty_write, "dirty-write", "dirty write", "G0", kEveryOrder,
     "Writes of two transactions were mixed: rows that belong together come from different transactions for "
     "good."},
    {Anomaly::circular_information_flow, "circular-information-flow", "circular information flow", "G1c",
     kEveryOrder,
     "Transactions each saw the other's effects: neither can have come first, so neither can be undone or "
     "replayed."},
    {Anomaly::non_repeatable_read, "non-repeatable-read", "non-repeatable read", "P2", kFrom<repeatable_read>,
     "A check made at the beginning of a transaction no longer holds at its end."},
    {Anomaly::read_your_writes_violation, "read-your-writes-violation", "read-your-writes violation", "",
     kFrom<read_your_writes>,
     "A client that saves something and looks again finds the old state, and may save it once more."},
    {Anomaly::monotonic_reads_violation, "monotonic-reads-violation", "monotonic-reads violation", "",
     kFrom<monotonic_reads>, "A client sees data go back in time: what was there a moment ago is gone."},
    {Anomaly::monotonic_writes_violation, "monotonic-writes-violation", "monotonic-writes violation", "",
     kFrom<monotonic_writes>,
     "Others see a client's later write without its earlier one: steps that build on each other "
     "appear out of order."},
    {Anomaly::writes_follow_reads_violation, "writes-follow-reads-violation", "writes-follow-reads violation",
     "", kFrom<writes_follow_reads>, "Others see a reply without what it replies to."},
    {Anomaly::fractured_read, "fractured-read", "fractured read", "G-single", kFrom<read_atomic>,
     "A reader saw half of a transaction: totals do not add up, references point nowhere."},
    {Anomaly::phantom, "phantom", "phantom", "P3", kFrom<read_atomic>,
     "A query missed a row that the same transaction saw the effects of: what it counted, summed or found "
     "missing is out of date before it ends."},
    {Anomaly::causality_violation, "causality-violation", "causality violation", "G-single", kFrom<causal>,
     "An effect was visible without its cause: a reply without the message that it answers."},
    {Anomaly::read_skew, "read-skew", "read skew", "G-single", kFrom<prefix>,
     "A reader mixed two moments of the database: sums and invariants over several keys come out wrong."},
    {Anomaly::long_fork, "long-fork", "long fork", "G-nonadjacent", kFrom<prefix>,
     "Two readers saw two updates in opposite orders: they cannot agree on what happened first."},
    {Anomaly::lost_update, "lost-update", "lost update", "P4", kFrom<snapshot_isolation>,
     "An increment, a booking or a withdrawal vanishes although its client was told that it succeeded."},
    {Anomaly::write_skew, "write-skew", "write skew", "G2-item", kFrom<serializable>,
     "Each transaction alone keeps a rule over several keys (one doctor on call, no overdraft), together "
     "they break "
     "it."},
    {Anomaly::anti_dependency_cycle, "anti-dependency-cycle", "anti-dependency cycle", "G2-item",
     kFrom<serializable>,
     "Every transaction missed another's write: rules over several keys that each of them checked can be "
     "broken."},
    {Anomaly::predicate_write_skew, "predicate-write-skew", "write skew by phantoms", "G2",
     kFrom<serializable>,
     "A rule over all rows of a kind (no double booking, at most ten of them) was checked by a query, and "
     "rows "
     "that it could not see yet break it."},
    {Anomaly::stale_read, "stale-read", "stale read in real time", "", kFrom<strong_snapshot_isolation>,
     "An update that was finished, by the clock, was not seen by a later reader: who was told \"done\" "
     "cannot rely on "
     "it."},
    {Anomaly::unnamed_cycle,
     "unnamed-cycle",
     "cycle without a name",
     "",
     {},
     "No order of the transactions explains what they saw; what can go wrong depends on the application."},
}};

}  // namespace

std::span<const AnomalyInfo> anomalies() {
  return kTable;
}

const AnomalyInfo& info(Anomaly anomaly) {
  return kTable[static_cast<std::size_t>(anomaly)];
}

std::vector<Level> levels_that_forbid(Anomaly anomaly) {
  const auto weakest = info(anomaly).forbidden_by;
  std::vector<Level> found;
  for (const LevelInfo& level : levels()) {
    if (implies_any(level.level, weakest)) found.push_back(level.level);
  }
  return found;
}

}  // namespace assay::evidence
