#include "watch/forget/closed_sessions.hpp"

#include <algorithm>
#include <utility>

#include "history/builder.hpp"
#include "history/rebuild.hpp"
#include "watch/level_rules.hpp"

namespace assay::watch {

namespace {

constexpr std::uint32_t kLeaves = 0xFFFFFFFFU;

// Per session: its new number, or that it leaves.
std::vector<std::uint32_t> renumber(const State& state) {
  std::vector<std::uint32_t> numbers;
  numbers.reserve(state.sessions.size());
  std::uint32_t stay = 0;
  for (std::uint32_t s = 0; s < state.sessions.size(); ++s) {
    const SessionState& session = state.sessions[s];
    const bool kept = s < state.held.sessions() && !state.held.transactions_of(Session{s}).empty();
    const bool leaves = !kept && !session.has_more() && session.waiting == 0;
    numbers.push_back(leaves ? kLeaves : stay++);
  }
  return numbers;
}

void without_those_that_leave(VectorClock& clock, const std::vector<std::uint32_t>& numbers) {
  std::size_t next = 0;
  for (std::size_t s = 0; s < clock.size(); ++s) {
    if (numbers[s] != kLeaves) clock[next++] = clock[s];
  }
  clock.resize(next);
  clock.shrink_to_fit();
}

}  // namespace

void close_silent_sessions(State& state, std::uint64_t silence) {
  if (silence == 0 || !state.sessions_come) return;
  for (SessionState& session : state.sessions) {
    if (!session.open || session.behind || state.decided - session.last_heard <= silence) continue;
    session.open = false;
    // It may still have written what somebody read.
    if (state.trusted.empty()) state.trusted = to_string(session.name.view());
  }
}

std::vector<std::string> let_sessions_leave(State& state) {
  std::vector<std::string> names;
  const LevelRules& rules = rules_of(state.options.level);
  if (!state.sessions_known || rules.forgets != Forgets::settled) return names;
  const std::vector<std::uint32_t> numbers = renumber(state);
  const auto leaving = static_cast<std::size_t>(std::count(numbers.begin(), numbers.end(), kLeaves));
  if (leaving == 0 || leaving < numbers.size() / 8) return names;

  for (auto at = state.session_ids.begin(); at != state.session_ids.end();) {
    const std::uint32_t number = numbers[at->second];
    if (number != kLeaves) {
      (at++)->second = number;
    } else {
      names.push_back(at->first);
      at = state.session_ids.erase(at);
    }
  }
  std::sort(names.begin(), names.end());
  std::vector<SessionState> stay;
  stay.reserve(state.sessions.size() - leaving);
  for (std::size_t s = 0; s < state.sessions.size(); ++s) {
    if (numbers[s] == kLeaves) continue;
    SessionState& session = stay.emplace_back(std::move(state.sessions[s]));
    without_those_that_leave(session.clock, numbers);
    without_those_that_leave(session.visible, numbers);
  }
  state.sessions = std::move(stay);
  for (Place& place : state.places) {
    without_those_that_leave(place.begin, numbers);
    without_those_that_leave(place.commit, numbers);
  }
  without_those_that_leave(state.floor, numbers);
  without_those_that_leave(state.gone, numbers);
  HistoryBuilder builder;
  builder.clocks(state.held.clocks());
  for (std::uint32_t s = 0; s < state.held.sessions(); ++s) {
    if (numbers[s] != kLeaves) builder.session(state.held.name(Session{s}));
  }
  Rebuild rebuild(state.held, builder);
  for (const Txn t : state.held.all_transactions()) rebuild.transaction(t);
  state.held = builder.finish();
  return names;
}

}  // namespace assay::watch
