#include "matrix/directed_schedule.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace assay::matrix {

namespace {

constexpr Step read(std::uint32_t session, std::string_view key) {
  return {session, Act::read, key};
}
constexpr Step write(std::uint32_t session, std::string_view key, std::int64_t value) {
  return {session, Act::write, key, value};
}
constexpr Step insert(std::uint32_t session, std::string_view key, std::int64_t value) {
  return {session, Act::insert, key, value};
}
constexpr Step erase(std::uint32_t session, std::string_view key) {
  return {session, Act::erase, key};
}
constexpr Step append(std::uint32_t session, std::string_view key) {
  return {session, Act::append, key};
}
constexpr Step read_list(std::uint32_t session, std::string_view key) {
  return {session, Act::read_list, key};
}
constexpr Step select(std::uint32_t session, std::int64_t low, std::int64_t high) {
  return {session, Act::select, "", low, high};
}
constexpr Step commit(std::uint32_t session) {
  return {session, Act::commit};
}
constexpr Step abort(std::uint32_t session) {
  return {session, Act::abort};
}

// Lists, since only they show the order of two writes without a third in between.
constexpr Step kDirtyWrite[] = {append(1, "p"),    append(2, "p"),    append(2, "q"),
                                append(1, "q"),    commit(1),         commit(2),
                                read_list(3, "p"), read_list(3, "q"), commit(3)};

constexpr Step kAbortedRead[] = {write(1, "x", 101), read(2, "x"), abort(1), commit(2)};

constexpr Step kIntermediateRead[] = {write(1, "x", 101), read(2, "x"), write(1, "x", 11), commit(1),
                                      commit(2)};

constexpr Step kCircularInformationFlow[] = {write(1, "x", 11), write(2, "y", 22), read(1, "y"),
                                             read(2, "x"),      commit(1),         commit(2)};

constexpr Step kObservedTransactionVanishes[] = {
    write(1, "x", 11), write(1, "y", 19), write(2, "x", 12), commit(1),    read(3, "x"), read(3, "y"),
    write(2, "y", 18), commit(2),         read(3, "y"),      read(3, "x"), commit(3)};

constexpr Step kNonRepeatableRead[] = {read(1, "x"), write(2, "x", 12), commit(2), read(1, "x"), commit(1)};

// The append changes the newest row, not the one that was read; the second read then shows what others did as well.
constexpr Step kReadAfterOwnUpdate[] = {read_list(1, "p"), append(2, "p"),    commit(2),
                                        append(1, "p"),    read_list(1, "p"), commit(1)};

// A delete that finds no row is a read of no row.
constexpr Step kDeleteOfWhatIsGone[] = {read(1, "x"), erase(2, "x"), commit(2), erase(1, "x"), commit(1)};

constexpr Step kReadSkew[] = {read(1, "x"), write(2, "x", 12), write(2, "y", 18),
                              commit(2),    read(1, "y"),      commit(1)};

constexpr Step kPhantom[] = {select(1, 30, 39), insert(2, "z", 30), commit(2), select(1, 30, 39), commit(1)};

// Another question the second time: it is not enough to remember the answer to the first.
constexpr Step kPredicateManyPreceders[] = {select(1, 30, 30), insert(2, "z", 30), commit(2),
                                            select(1, 15, 35), commit(1)};

constexpr Step kLongFork[] = {read(1, "y"), read(2, "x"), write(3, "x", 13), commit(3), write(4, "y", 24),
                              commit(4),    read(1, "x"), read(2, "y"),      commit(1), commit(2)};

constexpr Step kLostUpdate[] = {read(1, "x"),      read(2, "x"), write(1, "x", 11),
                                write(2, "x", 12), commit(1),    commit(2)};

// The reader at the end tells in which order y was written.
constexpr Step kWriteAfterStaleRead[] = {read(1, "x"), write(2, "x", 12), write(2, "y", 18),
                                         commit(2),    write(1, "y", 19), commit(1),
                                         read(3, "x"), read(3, "y"),      commit(3)};

constexpr Step kWriteSkew[] = {read(1, "x"),      read(1, "y"),      read(2, "x"), read(2, "y"),
                               write(1, "x", 11), write(2, "y", 22), commit(1),    commit(2)};

// Without the third session both updates could stand in one order; what it reads rules that out.
constexpr Step kReadOnlyTransaction[] = {read(1, "x"),      read(1, "y"), read(2, "y"), write(2, "y", 40),
                                         commit(2),         read(3, "x"), read(3, "y"), commit(3),
                                         write(1, "x", -1), commit(1)};

constexpr Step kPredicateWriteSkew[] = {select(1, 30, 39),  select(2, 30, 39), insert(1, "v", 31),
                                        insert(2, "w", 32), commit(1),         commit(2)};

constexpr Step kDuplicateRow[] = {select(1, 0, 99),  erase(2, "x"),    commit(2),
                                  write(1, "x", 11), select(1, 0, 99), commit(1)};

// By another session, which in a cluster speaks to another node.
constexpr Step kStaleRead[] = {write(1, "x", 11), commit(1), read(2, "x"), commit(2)};

constexpr Anomaly kNothingElse[] = {Anomaly::unnamed_cycle};
constexpr Anomaly kAsReadSkew[] = {Anomaly::fractured_read, Anomaly::non_repeatable_read};
constexpr Anomaly kAsPhantom[] = {Anomaly::fractured_read, Anomaly::non_repeatable_read,
                                  Anomaly::predicate_write_skew, Anomaly::read_skew};
constexpr Anomaly kAsStaleRead[] = {Anomaly::monotonic_reads_violation};
constexpr Anomaly kAsWriteAfterStaleRead[] = {Anomaly::lost_update};

constexpr Schedule kSchedules[] = {
    {"duplicate-row", "duplicate row", "", Anomaly::duplicate_row, kNothingElse,
     "A transaction has read a row that another then deletes, writes it again, and asks for all rows.",
     kDuplicateRow},
    {"dirty-write", "dirty write", "G0", Anomaly::dirty_write, kNothingElse,
     "Two transactions write the same two keys in opposite orders.", kDirtyWrite},
    {"aborted-read", "aborted read", "G1a", Anomaly::aborted_read, kNothingElse,
     "A transaction reads what another wrote and then undoes.", kAbortedRead},
    {"intermediate-read", "intermediate read", "G1b", Anomaly::intermediate_read, kNothingElse,
     "A transaction reads what another wrote and writes once more before it commits.", kIntermediateRead},
    {"circular-information-flow", "circular information flow", "G1c", Anomaly::circular_information_flow,
     kNothingElse, "Two transactions each write a key and read the other's.", kCircularInformationFlow},
    {"observed-transaction-vanishes", "observed transaction vanishes", "OTV",
     Anomaly::observed_transaction_vanishes, kNothingElse,
     "A reader looks at two keys while one transaction overwrites another's writes of both.",
     kObservedTransactionVanishes},
    {"non-repeatable-read", "non-repeatable read", "P2", Anomaly::non_repeatable_read, kNothingElse,
     "A transaction reads a key twice, and another overwrites it in between.", kNonRepeatableRead},
    {"read-after-own-update", "read after an own update", "P2", Anomaly::non_repeatable_read, kNothingElse,
     "A transaction reads a list, another appends to it, the first appends too and reads it again.",
     kReadAfterOwnUpdate},
    {"delete-of-what-is-gone", "delete finds nothing", "P2", Anomaly::non_repeatable_read, kNothingElse,
     "A transaction has read a row that another then deletes, and deletes it too.", kDeleteOfWhatIsGone},
    {"read-skew", "read skew", "G-single", Anomaly::read_skew, kAsReadSkew,
     "A transaction reads two keys, and another overwrites both in between.", kReadSkew},
    {"phantom", "phantom", "P3", Anomaly::phantom, kAsPhantom,
     "A transaction asks twice for the rows with some values, and another inserts one in between.", kPhantom},
    {"predicate-many-preceders", "predicate-many-preceders", "PMP", Anomaly::phantom, kAsPhantom,
     "As the phantom, but the second question is another that the new row answers too.",
     kPredicateManyPreceders},
    {"long-fork", "long fork", "G-nonadjacent", Anomaly::long_fork, kNothingElse,
     "Two readers look at two keys in opposite orders, and two writers overwrite one each in between.",
     kLongFork},
    {"lost-update", "lost update", "P4", Anomaly::lost_update, kNothingElse,
     "Two transactions read a key and then both overwrite it.", kLostUpdate},
    {"write-after-stale-read", "write after a stale read", "G-single", Anomaly::single_anti_dependency_cycle,
     kAsWriteAfterStaleRead,
     "A transaction has read a key; another overwrites it and a second key; then the first overwrites that "
     "one.",
     kWriteAfterStaleRead},
    {"write-skew", "write skew", "G2-item", Anomaly::write_skew, kNothingElse,
     "Two transactions read two keys and then overwrite one each.", kWriteSkew},
    {"read-only-transaction", "read-only transaction anomaly", "G2-item", Anomaly::anti_dependency_cycle,
     kNothingElse,
     "Two transactions that one order would explain, and a reader who saw the second without the first.",
     kReadOnlyTransaction},
    {"predicate-write-skew", "write skew by phantoms", "G2", Anomaly::predicate_write_skew, kNothingElse,
     "Two transactions find no row with some values and then both insert one.", kPredicateWriteSkew},
    {"stale-read", "stale read in real time", "G-single-realtime", Anomaly::stale_read, kAsStaleRead,
     "A session reads a key after another was told that its new value is committed.", kStaleRead},
};

bool has(const Schedule& schedule, std::initializer_list<Act> acts) {
  return std::any_of(schedule.steps.begin(), schedule.steps.end(), [&](const Step& step) {
    return std::find(acts.begin(), acts.end(), step.act) != acts.end();
  });
}

}  // namespace

std::span<const Schedule> schedules() {
  return kSchedules;
}

std::uint32_t sessions_of(const Schedule& schedule) {
  std::uint32_t most = 0;
  for (const Step& step : schedule.steps) most = std::max(most, step.session);
  return most;
}

bool needs_lists(const Schedule& schedule) {
  return has(schedule, {Act::append, Act::read_list});
}

bool needs_selects(const Schedule& schedule) {
  return has(schedule, {Act::select});
}

std::string told(const Step& step) {
  const auto does = [&]() -> std::string {
    switch (step.act) {
      case Act::read:
        return fmt::format("reads {}", step.key);
      case Act::write:
        return fmt::format("writes {} = {}", step.key, step.value);
      case Act::insert:
        return fmt::format("inserts {} = {}", step.key, step.value);
      case Act::erase:
        return fmt::format("deletes {}", step.key);
      case Act::append:
        return fmt::format("appends to the list {}", step.key);
      case Act::read_list:
        return fmt::format("reads the list {}", step.key);
      case Act::select:
        return fmt::format("selects the rows with values from {} to {}", step.value, step.high);
      case Act::commit:
        return "commits";
      case Act::abort:
        return "aborts";
    }
    return "";
  };
  return fmt::format("session {} {}", step.session, does());
}

}  // namespace assay::matrix
