#include "level/level.hpp"

#include <algorithm>
#include <array>

namespace assay {

namespace {

using Names = std::string_view;
using enum Level;

constexpr std::array<Names, 1> kRywNames{"ryw"};
constexpr std::array<Names, 1> kMrNames{"mr"};
constexpr std::array<Names, 1> kMwNames{"mw"};
constexpr std::array<Names, 1> kWfrNames{"wfr"};
// Not "pl-2": Adya's level lets reads go back in time.
constexpr std::array<Names, 1> kRcNames{"rc"};
constexpr std::array<Names, 1> kMavNames{"mav"};
constexpr std::array<Names, 3> kRrNames{"rr", "cut-isolation", "item-cut-isolation"};
constexpr std::array<Names, 2> kRaNames{"ra", "atomic-read"};
constexpr std::array<Names, 4> kCcNames{"cc", "causal-consistency", "causal-plus", "tcc"};
constexpr std::array<Names, 3> kPcNames{"pc", "prefix-consistency", "consistent-prefix"};
constexpr std::array<Names, 3> kSiNames{"si", "snapshot", "strong-session-snapshot-isolation"};
constexpr std::array<Names, 5> kSerNames{"ser", "serializability", "serialisable", "pl-3",
                                         "strong-session-serializable"};
constexpr std::array<Names, 3> kSsiNames{"ssi", "strong-si", "real-time-snapshot-isolation"};
constexpr std::array<Names, 5> kSserNames{"sser", "strict-ser", "strict-serializability",
                                          "strong-serializable", "strict-1sr"};

// Monotonic atomic view and read committed have the same axiom. Only one direction stands here, so that the
// table stays a hierarchy.
constexpr std::array<Level, 1> kReadCommitted{read_committed};
constexpr std::array<Level, 3> kReadAtomicImplies{monotonic_atomic_view, repeatable_read, read_your_writes};
constexpr std::array<Level, 4> kCausalImplies{read_atomic, monotonic_reads, monotonic_writes,
                                              writes_follow_reads};
constexpr std::array<Level, 1> kCausal{causal};
constexpr std::array<Level, 1> kPrefix{prefix};
constexpr std::array<Level, 1> kSnapshot{snapshot_isolation};
constexpr std::array<Level, 2> kStrictImplies{serializable, strong_snapshot_isolation};

constexpr std::array<LevelInfo, kLevels> kTable{{
    {read_your_writes,
     "read-your-writes",
     kRywNames,
     "A session that wrote a key never reads a version older than its own write.",
     "t2 -so-> t3 => t2 -co-> t1",
     "Terry et al. 1994",
     {},
     true,
     false},
    {monotonic_reads,
     "monotonic-reads",
     kMrNames,
     "A session that has seen a version never sees an older one later.",
     "t2 -wr-> t' -so-> t3 => t2 -co-> t1",
     "Terry et al. 1994",
     {},
     true,
     false},
    {monotonic_writes,
     "monotonic-writes",
     kMwNames,
     "The writes of one session are seen in the order in which it made them.",
     "t2 -so-> t' -wr-> t3 => t2 -co-> t1",
     "Terry et al. 1994",
     {},
     true,
     false},
    {writes_follow_reads,
     "writes-follow-reads",
     kWfrNames,
     "Whoever sees a session's write also sees what that session had read before it.",
     "t2 -wr-> t'' -so?-> t' -wr-> t3 => t2 -co-> t1",
     "Terry et al. 1994",
     {},
     true,
     false},
    {read_committed,
     "read-committed",
     kRcNames,
     "A transaction reads only committed data, and its reads never go back in time.",
     "t2 -wr-> r' -po-> r => t2 -co-> t1",
     "Biswas and Enea 2019 (stronger than PL-2 of Adya 1999)",
     {},
     true,
     false},
    {monotonic_atomic_view, "monotonic-atomic-view", kMavNames,
     "Once a transaction has seen one effect of another, it sees all of its effects from then on.",
     "t2 -wr-> r' -po-> r => t2 -co-> t1", "Bailis et al. 2013", kReadCommitted, true, false},
    {repeatable_read,
     "repeatable-read",
     kRrNames,
     "A transaction that reads a key twice sees the same version twice.",
     "r, r' in t read key x externally => same version",
     "Bailis et al. 2013 (item cut isolation)",
     {},
     true,
     false},
    {read_atomic, "read-atomic", kRaNames,
     "A transaction sees either all or none of another transaction's writes, and all of its own session's "
     "earlier ones.",
     "t2 -(so u wr)-> t3 => t2 -co-> t1", "Biswas and Enea 2019; Bailis et al. 2014 (RAMP)",
     kReadAtomicImplies, true, false},
    {causal, "causal", kCcNames, "A transaction that sees an effect also sees everything that led to it.",
     "t2 -(so u wr)+-> t3 => t2 -co-> t1", "Biswas and Enea 2019", kCausalImplies, true, false},
    {prefix, "prefix", kPcNames, "Every transaction sees a prefix of one common order of commits.",
     "t2 -co*-> t4 -(so u wr)-> t3 => t2 -co-> t1", "Biswas and Enea 2019", kCausal, true, false},
    {snapshot_isolation, "snapshot-isolation", kSiNames,
     "Every transaction reads from one snapshot, and of two that overlap and write the same key only one "
     "commits.",
     "prefix and no two concurrent writers of a key", "Berenson et al. 1995; Biswas and Enea 2019", kPrefix,
     true, false},
    {serializable, "serializable", kSerNames, "The transactions ran as if one after the other.",
     "t2 -co-> t3 => t2 -co-> t1", "Papadimitriou 1979; Biswas and Enea 2019", kSnapshot, true, false},
    {strong_snapshot_isolation, "strong-snapshot-isolation", kSsiNames,
     "Snapshot isolation, and every transaction sees all that had committed before it began, by the clock.",
     "snapshot isolation and real time in co", "Daudjee and Salem 2006", kSnapshot, true, true},
    {strict_serializable, "strict-serializable", kSserNames,
     "The transactions ran as if one after the other, each at some moment between its start and its end.",
     "serializable and real time in co", "Papadimitriou 1979; Herlihy and Wing 1990", kStrictImplies, true,
     true},
}};

}  // namespace

std::span<const LevelInfo> levels() {
  return kTable;
}

const LevelInfo& info(Level level) {
  return kTable[static_cast<std::size_t>(level)];
}

std::optional<Level> find_level(std::string_view name) {
  for (const LevelInfo& level : kTable) {
    if (level.name == name) return level.level;
    if (std::find(level.aliases.begin(), level.aliases.end(), name) != level.aliases.end())
      return level.level;
  }
  return std::nullopt;
}

bool implies(Level stronger, Level weaker) {
  if (stronger == weaker) return true;
  const auto direct = info(stronger).implies;
  return std::any_of(direct.begin(), direct.end(), [&](Level next) { return implies(next, weaker); });
}

}  // namespace assay
