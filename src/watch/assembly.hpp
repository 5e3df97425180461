// Puts what is kept and what has arrived together as one history that the engine can decide.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "check/check.hpp"
#include "history/history.hpp"
#include "watch/keep/state.hpp"

namespace assay::watch {

struct Assembly {
  History
      history;  // sessions are numbered as in the state; the last of those, if they have not begun, are missing
  std::vector<std::uint32_t> kept;            // per session: so many of its transactions were kept
  std::vector<std::uint32_t> fresh;           // per session: so many of those that arrived follow
  std::optional<std::string> repeated_value;  // of this key: a value that its entry has was written again

  // Order that rests on transactions which are gone: a later one took it over from them into its clock.
  std::vector<check::Precedence> known;

  bool is_fresh(Txn t) const { return history.position_in_session(t) >= kept[index(history.session_of(t))]; }
};

// Per transaction: its place in its session, which means the same in every round.
std::vector<std::uint32_t> positions_in_sessions(const State& state, const Assembly& assembly);

// With the first so many arrivals of each session.
Assembly assemble(const State& state, std::span<const std::uint32_t> admitted);

}  // namespace assay::watch
