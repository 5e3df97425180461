// The anomalies that the generator can plant and that the in-memory store can be told to let through: what
// each is called and which levels it breaks.
//
//   anomaly            weakest level broken       what is seen (x0: as before, x': new)
//   lost-update        snapshot-isolation         A: r(x0) w(x')   B: r(x0) w(x'')
//   write-skew         serializable               A: r(x0) r(y0) w(x')   B: r(x0) r(y0) w(y')
//   long-fork          prefix                     A: w(x')   B: w(y')   C: r(x') r(y0)   D: r(y') r(x0)
//   read-skew          read-atomic                A: r(x0) r(y')   B, inside A: w(x') w(y')
//   fractured-read     read-atomic                A: w(x') w(y')   B, inside A: r(x0) r(y')
//   causality          writes-follow-reads        A: w(x')   B: r(x') w(y')   C: r(y') r(x0)
//   stale-read         strong-snapshot-isolation  A: w(x'), ended   B, started later: r(x0)
//   aborted-read       every level                A: w(x'), aborted   B: r(x')
//   intermediate-read  every level                A: w(x') w(x'')   B: r(x')
//   dirty-write        read-committed             A: w(x') w(y'')   B: w(x'') w(y')   C, D: r(x'') r(y'')
//   phantom            read-atomic                A: range, range   B, inside A: insert
//
// A level is broken if and only if it implies that one; docs/generate.md says more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "level/level.hpp"

namespace assay::record {

enum class Anomaly : std::uint8_t {
  lost_update,
  write_skew,
  long_fork,
  read_skew,
  fractured_read,
  causality,
  stale_read,
  aborted_read,
  intermediate_read,
  dirty_write,
  phantom,
};
inline constexpr std::size_t kAnomalies = 11;

struct AnomalyInfo {
  Anomaly anomaly;
  std::string_view name;          // as in --inject
  std::string_view sentence;      // what goes wrong, for a reader who knows SQL
  std::span<const Level> breaks;  // the weakest levels that forbid it; see breaks() for all
  bool needs_times;               // only start and end times reveal it
};

std::span<const AnomalyInfo> anomalies();
const AnomalyInfo& info(Anomaly anomaly);
std::optional<Anomaly> find_anomaly(std::string_view name);
// Whether a history with this anomaly violates the level.
bool breaks(Anomaly anomaly, Level level);

}  // namespace assay::record
