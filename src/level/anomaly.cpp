#include "level/anomaly.hpp"

#include <algorithm>
#include <array>
#include <cassert>

#include "level/weakest.hpp"

namespace assay {

namespace {

using enum Level;

// All levels that know an order of commits.
constexpr std::array<Level, 5> kEveryOrder{read_your_writes, monotonic_reads, monotonic_writes,
                                           writes_follow_reads, read_committed};

constexpr std::array<AnomalyInfo, kAnomalies> kTable{{
    {Anomaly::internal_inconsistency, "internal-inconsistency", "internal inconsistency", "", kEveryLevel,
     "A transaction cannot rely on its own writes: code that writes a row and reads it back works on "
     "something else."},
    {Anomaly::duplicate_row, "duplicate-row", "duplicate row", "", kEveryLevel,
     "One query returned a row twice, in two versions: counts and sums are wrong, and code that looks a key "
     "up "
     "finds two."},
    {Anomaly::future_read, "future-read", "future read", "", kEveryLevel,
     "A transaction saw a value before it wrote it: what was read and what was written cannot be told "
     "apart."},
    {Anomaly::thin_air_read, "thin-air-read", "thin-air read", "", kEveryLevel,
     "Data appeared that no client wrote: corruption, or a writer that the recording does not show."},
    {Anomaly::aborted_read,
     "aborted-read",
     "aborted read",
     "G1a",
     kEveryLevel,
     "Decisions were made on data that was rolled back and officially never existed.",
     {"aborted-read", kEveryLevel}},
    {Anomaly::dirty_update, "dirty-update", "dirty update", "", kEveryLevel,
     "What was kept was built on what was rolled back: the rollback did not undo it."},
    {Anomaly::intermediate_read,
     "intermediate-read",
     "intermediate read",
     "G1b",
     kEveryLevel,
     "Half-finished work was visible: invariants that a transaction restores before it commits do not "
     "protect readers.",
     {"intermediate-read", kEveryLevel}},
    {Anomaly::incompatible_order, "incompatible-order", "incompatible list order", "", kEveryLevel,
     "Two readers disagree about the past of one list: one of them saw something that was later rewritten."},
    {Anomaly::duplicate_elements, "duplicate-elements", "duplicate elements", "", kEveryLevel,
     "An append took effect twice: a message that is sent or a payment that is made a second time."},
    {Anomaly::dirty_write,
     "dirty-write",
     "dirty write",
     "G0",
     kEveryOrder,
     "Writes of two transactions were mixed: rows that belong together come from different transactions for "
     "good.",
     {"dirty-write", kFrom<read_committed>}},
    {Anomaly::cyclic_versions, "cyclic-versions", "cyclic versions", "G1c", kEveryOrder,
     "The versions of one key were each made from the other: none of them is the latest."},
    {Anomaly::circular_information_flow, "circular-information-flow", "circular information flow", "G1c",
     kEveryOrder,
     "Transactions each saw the other's effects: neither can have come first, so neither can be undone or "
     "replayed."},
    {Anomaly::non_repeatable_read, "non-repeatable-read", "non-repeatable read", "P2", kFrom<repeatable_read>,
     "A check made at the beginning of a transaction no longer holds at its end."},
    {Anomaly::read_your_writes_violation, "read-your-writes-violation", "read-your-writes violation",
     "G-single", kFrom<read_your_writes>,
     "A client that saves something and looks again finds the old state, and may save it once more."},
    {Anomaly::observed_transaction_vanishes, "observed-transaction-vanishes", "observed transaction vanishes",
     "OTV", kFrom<read_committed>,
     "A transaction saw another's work and then no longer did: what it reads next contradicts what it has "
     "read."},
    {Anomaly::monotonic_reads_violation, "monotonic-reads-violation", "monotonic-reads violation", "G-single",
     kFrom<monotonic_reads>, "A client sees data go back in time: what was there a moment ago is gone."},
    {Anomaly::monotonic_writes_violation, "monotonic-writes-violation", "monotonic-writes violation",
     "G-single", kFrom<monotonic_writes>,
     "Others see a client's later write without its earlier one: steps that build on each other appear out "
     "of order."},
    {Anomaly::writes_follow_reads_violation, "writes-follow-reads-violation", "writes-follow-reads violation",
     "G-single", kFrom<writes_follow_reads>, "Others see a reply without what it replies to."},
    {Anomaly::fractured_read,
     "fractured-read",
     "fractured read",
     "G-single",
     kFrom<read_atomic>,
     "A reader saw half of a transaction: totals do not add up, references point nowhere.",
     {"fractured-read", kFrom<read_atomic>}},
    {Anomaly::phantom,
     "phantom",
     "phantom",
     "P3",
     kFrom<read_atomic>,
     "A query missed a row that the same transaction saw the effects of: what it counted, summed or found "
     "missing is out of date before it ends.",
     {"phantom", kFrom<read_atomic>}},
    {Anomaly::causality_violation,
     "causality-violation",
     "causality violation",
     "G-single",
     kFrom<causal>,
     "An effect was visible without its cause: a reply without the message that it answers.",
     {"causality", kFrom<writes_follow_reads>}},
    {Anomaly::read_skew,
     "read-skew",
     "read skew",
     "G-single",
     kFrom<prefix>,
     "A reader mixed two moments of the database: sums and invariants over several keys come out wrong.",
     {"read-skew", kFrom<read_atomic>}},
    {Anomaly::long_fork,
     "long-fork",
     "long fork",
     "G-nonadjacent",
     kFrom<prefix>,
     "Two readers saw two updates in opposite orders: they cannot agree on what happened first.",
     {"long-fork", kFrom<prefix>}},
    {Anomaly::lost_update,
     "lost-update",
     "lost update",
     "P4",
     kFrom<snapshot_isolation>,
     "An increment, a booking or a withdrawal vanishes although its client was told that it succeeded.",
     {"lost-update", kFrom<snapshot_isolation>}},
    {Anomaly::single_anti_dependency_cycle, "single-anti-dependency-cycle", "cycle with one anti-dependency",
     "G-single", kFrom<snapshot_isolation>,
     "A transaction missed the work of one that came before it: what it decided and wrote rests on old "
     "data."},
    {Anomaly::nonadjacent_anti_dependency_cycle, "nonadjacent-anti-dependency-cycle",
     "cycle of nonadjacent anti-dependencies", "G-nonadjacent", kFrom<snapshot_isolation>,
     "Transactions missed each other's work over several others: they cannot agree on what happened first."},
    {Anomaly::write_skew,
     "write-skew",
     "write skew",
     "G2-item",
     kFrom<serializable>,
     "Each transaction alone keeps a rule over several keys (one doctor on call, no overdraft), together "
     "they break it.",
     {"write-skew", kFrom<serializable>}},
    {Anomaly::anti_dependency_cycle, "anti-dependency-cycle", "anti-dependency cycle", "G2-item",
     kFrom<serializable>,
     "Every transaction missed another's write: rules over several keys that each of them checked can be "
     "broken."},
    {Anomaly::predicate_write_skew, "predicate-write-skew", "write skew by phantoms", "G2",
     kFrom<serializable>,
     "A rule over all rows of a kind (no double booking, at most ten of them) was checked by a query, and "
     "rows that it could not see yet break it."},
    {Anomaly::write_order_against_clock, "write-order-against-clock", "write order against the clock",
     "G0-realtime", kFrom<strong_snapshot_isolation>,
     "A later write, by the clock, was put before an earlier one: what was replaced is there again."},
    {Anomaly::information_flow_against_clock, "information-flow-against-clock",
     "information flow against the clock", "G1c-realtime", kFrom<strong_snapshot_isolation>,
     "A transaction saw what, by the clock, was only written after it had ended: times in logs and audits "
     "contradict the data."},
    {Anomaly::stale_read,
     "stale-read",
     "stale read in real time",
     "G-single-realtime",
     kFrom<strong_snapshot_isolation>,
     "An update that was finished, by the clock, was not seen by a later reader: who was told \"done\" "
     "cannot rely on it.",
     {"stale-read", kFrom<strong_snapshot_isolation>}},
    {Anomaly::long_fork_against_clock, "long-fork-against-clock", "long fork in real time",
     "G-nonadjacent-realtime", kFrom<strong_snapshot_isolation>,
     "Several readers each missed an update that others had been told was done: they cannot agree on what "
     "happened first."},
    {Anomaly::anti_dependency_cycle_against_clock, "anti-dependency-cycle-against-clock",
     "anti-dependency cycle in real time", "G2-item-realtime", kFrom<strict_serializable>,
     "Transactions missed each other's writes although some had ended before others began: rules that each "
     "of "
     "them checked can be broken."},
    {Anomaly::unnamed_cycle,
     "unnamed-cycle",
     "cycle without a name",
     "",
     {},
     "No order of the transactions explains what they saw; what can go wrong depends on the application."},
}};

// As a user is told of them.
constexpr std::array kTextbook{Anomaly::lost_update, Anomaly::write_skew,     Anomaly::long_fork,
                               Anomaly::read_skew,   Anomaly::fractured_read, Anomaly::causality_violation,
                               Anomaly::stale_read,  Anomaly::aborted_read,   Anomaly::intermediate_read,
                               Anomaly::dirty_write, Anomaly::phantom};

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

std::span<const Anomaly> textbook_anomalies() {
  return kTextbook;
}

std::optional<Anomaly> find_textbook_anomaly(std::string_view name) {
  for (const Anomaly anomaly : kTextbook) {
    if (info(anomaly).textbook.name == name) return anomaly;
  }
  return std::nullopt;
}

bool textbook_breaks(Anomaly anomaly, Level level) {
  return implies_any(level, info(anomaly).textbook.breaks);
}

bool needs_times(Anomaly anomaly) {
  const auto breaks = info(anomaly).textbook.breaks;
  assert(!breaks.empty());
  return std::all_of(breaks.begin(), breaks.end(), [](Level level) { return info(level).real_time; });
}

}  // namespace assay
