// What each level promises, as data: names, the order they form, and what each takes into account.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace assay {

enum class Level : std::uint8_t {
  read_your_writes,
  monotonic_reads,
  monotonic_writes,
  writes_follow_reads,
  read_committed,
  monotonic_atomic_view,
  repeatable_read,
  read_atomic,
  causal,
  prefix,
  snapshot_isolation,
  serializable,
  strong_snapshot_isolation,
  strict_serializable,
};
inline constexpr std::size_t kLevels = 14;

struct LevelInfo {
  Level level;
  std::string_view name;                      // canonical, as in --level and JSON
  std::span<const std::string_view> aliases;  // short names and the field's other long names
  std::string_view promise;                   // one sentence for a reader who knows SQL
  std::string_view axiom;                     // the defining condition, in the notation of docs/levels.md
  std::string_view source;                    // who defined it
  std::span<const Level> implies;             // directly; see implies() for the closure
  bool session_order;                         // the default reading includes session order
  bool real_time;                             // needs start and end times
};

std::span<const LevelInfo> levels();
const LevelInfo& info(Level level);
std::optional<Level> find_level(std::string_view name_or_alias);
// Whether every history that satisfies `stronger` satisfies `weaker`.
bool implies(Level stronger, Level weaker);

}  // namespace assay
