#include "watch/level_rules.hpp"

#include <array>
#include <cstddef>

namespace assay::watch {

namespace {

struct Row {
  Level level;
  LevelRules rules;
};

using enum Level;
using enum OrderKept;
using enum Forgets;

// In the order of the levels.
// clang-format off
constexpr std::array<Row, kLevels> kTable{{
    // level                     events order       forgets         causal floor  own    without times
    {read_your_writes,          {1, none,       nothing,        true,  false, false, read_your_writes}},
    {monotonic_reads,           {1, none,       nothing,        true,  false, false, monotonic_reads}},
    {monotonic_writes,          {1, none,       nothing,        true,  false, false, monotonic_writes}},
    {writes_follow_reads,       {1, none,       nothing,        true,  false, false, writes_follow_reads}},
    {read_committed,            {1, commits,    beyond_horizon, true,  false, false, read_committed}},
    {monotonic_atomic_view,     {1, commits,    beyond_horizon, true,  false, false, monotonic_atomic_view}},
    {repeatable_read,           {1, none,       nothing,        false, false, false, repeatable_read}},
    {read_atomic,               {1, commits,    beyond_horizon, true,  false, true,  read_atomic}},
    {causal,                    {1, visibility, settled,        true,  true,  false, causal}},
    {prefix,                    {2, events,     settled,        true,  true,  false, prefix}},
    {snapshot_isolation,        {2, events,     settled,        true,  true,  false, snapshot_isolation}},
    {serializable,              {1, events,     settled,        true,  true,  false, serializable}},
    {strong_snapshot_isolation, {2, events,     settled,        true,  true,  false, snapshot_isolation}},
    {strict_serializable,       {1, events,     settled,        true,  true,  false, serializable}},
}};
// clang-format on

constexpr bool in_order() {
  for (std::size_t i = 0; i < kTable.size(); ++i) {
    if (static_cast<std::size_t>(kTable[i].level) != i) return false;
  }
  return true;
}
static_assert(in_order());

}  // namespace

const LevelRules& rules_of(Level level) {
  return kTable[static_cast<std::size_t>(level)].rules;
}

}  // namespace assay::watch
