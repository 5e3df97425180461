// What the encoder and the decoder of a packed block agree on. The columns follow the counts in one fixed
// order, which docs/formats.md lists.
#pragma once

#include <cstddef>
#include <cstdint>

#include "history/history.hpp"

namespace assay::format::packed {

// The block starts with these numbers, 8 bytes each.
enum Count : std::size_t {
  kFlags,
  kSessions,
  kTransactions,
  kOperations,
  kKeys,
  kVersions,  // with one initial version per key
  kLists,
  kQueries,
  kQueryAtoms,
  kElements,
  kTexts,
  kTextBytes,
  kNotes,
  kNoteBytes,
  kCounts,
};

inline constexpr std::uint64_t kHasTimes = 1, kSeveralClocks = 2, kAllFlags = 3;
inline constexpr std::uint32_t kPredicate = 1, kLow = 2, kHigh = 4;  // which atoms a query has

// Ids stay below 2^31, as in HistoryBuilder.
inline constexpr std::uint64_t kMost = 0x7FFFFFFF;

// Whether the payload of such an operation is a version; else it is the number of a list or query.
constexpr bool names_version(OpKind kind) {
  return kind != OpKind::list_read && !is_query(kind);
}

}  // namespace assay::format::packed
