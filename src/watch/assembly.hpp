// Puts what is kept and what has arrived together as one history that the engine can judge.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "check/check.hpp"
#include "history/history.hpp"
#include "watch/state.hpp"

namespace assay::watch {

// A transaction as it arrived.
struct Arrival {
  std::uint32_t fragment;  // index into State::arrivals
  Txn txn;
};

struct Assembly {
  History history;                            // sessions are numbered as in the state
  std::vector<std::uint32_t> kept;            // per session: so many of its transactions were kept
  std::vector<std::vector<Arrival>> fresh;    // per session: those that follow
  std::optional<std::string> repeated_value;  // of this key: a value that its entry has was written again

  // Order that rests on transactions which are gone: a later one took it over from them into its clock.
  std::vector<check::Precedence> known;

  bool is_fresh(Txn t) const { return history.position_in_session(t) >= kept[index(history.session_of(t))]; }
};

// Per transaction: its place in its session, which means the same in every round.
std::vector<std::uint32_t> positions_in_sessions(const Watcher::State& state, const Assembly& assembly);

// All that arrived, or of each session the first `admitted` arrivals.
Assembly assemble(const Watcher::State& state);
Assembly assemble(const Watcher::State& state, std::span<const std::uint32_t> admitted);

// The arrivals that come after those, as one history.
History left_waiting(const Watcher::State& state, const Assembly& all,
                     std::span<const std::uint32_t> admitted);

}  // namespace assay::watch
