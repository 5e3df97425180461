#include "watch/keep/state.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "watch/forget/retired.hpp"

namespace assay::watch {

std::uint32_t State::session_id(std::string_view name) {
  const auto [at, is_new] =
      session_ids.try_emplace(std::string(name), static_cast<std::uint32_t>(sessions.size()));
  if (is_new) {
    SessionState session;
    session.name = OwnedAtom(Atom::string(name));
    session.serial = ++serials;
    session.since = rounds;
    session.last_heard = decided;
    // What is frozen already must come before all that a newcomer does.
    session.late = sessions_known;
    session.pin = sessions_known ? decided : 0;
    session.announced = fragments;
    sessions.push_back(std::move(session));
  }
  return at->second;
}

void State::reopen(SessionState& session) {
  session.open = true;
  session.late = true;
  session.pin = decided;
  session.announced = fragments;
  session.since = rounds;
  session.last_heard = decided;
}

void State::raise(SessionState& session) const {
  // Where nothing is gone, what counts as frozen does so only because nobody knew of this one.
  if (!session.late || !has_forgotten) return;
  session.clock = later(later(std::move(session.clock), floor), gone);
  session.visible = later(std::move(session.visible), floor);
}

bool State::any_to_come() const {
  return !sessions_known ||
         std::any_of(sessions.begin(), sessions.end(), [](const SessionState& s) { return s.has_more(); });
}

void State::excuse(const History& history, Txn t) {
  for (const Op op : history.operations_of(t)) {
    if (!writes(history.kind(op)) || history.is_initial(history.version(op))) continue;
    const Version v = history.version(op);
    const Atom key = history.name(history.key_of(v));
    excused.insert({OwnedAtom(key), OwnedAtom(history.value(v))});
    if (is_retired(key)) excused.insert({original_key(key), OwnedAtom(history.value(v))});
  }
}

void State::values_repeat(const std::string& where) {
  if (!options.unique_values) return;
  if (has_forgotten || reported) {
    undecidable =
        fmt::format("{}: verdicts were built on the promise that no value is written to a key twice", where);
    return;
  }
  options.unique_values = false;
}

}  // namespace assay::watch
