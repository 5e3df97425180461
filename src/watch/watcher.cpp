#include "watch/watcher.hpp"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "history/builder.hpp"
#include "history/rebuild.hpp"
#include "watch/admission.hpp"
#include "watch/assembly.hpp"
#include "watch/forget/closed_sessions.hpp"
#include "watch/forget/retired.hpp"
#include "watch/keep/state.hpp"
#include "watch/keep/state_bytes.hpp"
#include "watch/round.hpp"
#include "watch/window.hpp"

namespace assay::watch {

Watcher::Watcher(const WatchOptions& options) : state_(std::make_unique<State>()) {
  state_->options = options;
}
Watcher::Watcher(std::unique_ptr<State> state) : state_(std::move(state)) {}
Watcher::Watcher(Watcher&&) noexcept = default;
Watcher& Watcher::operator=(Watcher&&) noexcept = default;
Watcher::~Watcher() = default;

void Watcher::admit(std::string_view session) {
  SessionState& admitted = state_->sessions[state_->session_id(session)];
  if (!admitted.open) state_->reopen(admitted);
}

void Watcher::all_sessions_known() {
  if (state_->sessions_known) return;
  state_->sessions_known = true;
  // Whenever they came, nothing was settled without them.
  for (SessionState& session : state_->sessions) session.late = false;
}

void Watcher::sessions_come_and_go(Arrival arrival) {
  all_sessions_known();
  state_->sessions_come = true;
  if (arrival == Arrival::any && state_->trusted.empty()) state_->trusted = "of another collector";
}

bool Watcher::knows_all_sessions() const {
  return state_->sessions_known;
}

void Watcher::close(std::string_view session) {
  // One that is not here may have left already.
  const auto at = state_->session_ids.find(std::string(session));
  if (at != state_->session_ids.end()) state_->sessions[at->second].open = false;
}

namespace {

bool speaks_our_names(const History& fragment) {
  for (std::uint32_t k = 0; k < fragment.keys(); ++k) {
    if (is_ours(fragment.name(Key{k}))) return true;
    for (const Version v : fragment.versions_of(Key{k})) {
      if (!fragment.is_initial(v) && is_ours(fragment.value(v))) return true;
    }
  }
  return false;
}

}  // namespace

void Watcher::add(const History& fragment) {
  const std::uint64_t number = state_->fragments++;
  if (fragment.transactions() == 0) return;
  for (std::uint32_t s = 0; s < fragment.sessions(); ++s) {
    const Atom name = fragment.name(Session{s});
    SessionState& session = state_->sessions[state_->session_id(to_string(name))];
    // It was said to send nothing more, and what it could have touched may be gone.
    if (!session.open) state_->reopen(session);
    const bool has_some = !fragment.transactions_of(Session{s}).empty();
    if (session.late && session.announced >= number && has_some) session.pin = SessionState::kNoPinYet;
    if (!session.named) session.name = OwnedAtom(name);
    session.named = true;
  }
  if (fragment.has(OpKind::erase)) {
    for (std::uint32_t i = 0; i < fragment.operations(); ++i) {
      if (fragment.kind(Op{i}) == OpKind::erase && fragment.is_initial(fragment.version(Op{i}))) {
        state_->values_repeat("a row was deleted without a value of its own");
        break;
      }
    }
  }
  if (fragment.has(OpKind::append) || fragment.has(OpKind::list_read) || fragment.has_queries()) {
    state_->only_added = true;
  }
  if (speaks_our_names(fragment)) {
    state_->only_added = true;
    if (state_->has_forgotten) state_->undecidable = "a key or value begins with the control character 31";
  }
  state_->timed = state_->timed || fragment.has_times();
  HistoryBuilder copy;
  Rebuild rebuild(fragment, copy);
  for (const Txn t : fragment.all_transactions()) rebuild.transaction(t);
  state_->arrivals.push_back(copy.finish());
  state_->arrived_since_round += fragment.transactions();
}

Round Watcher::decide() {
  const auto begin = std::chrono::steady_clock::now();
  State& state = *state_;
  Round round;
  const Window window = next_window(state);
  for (std::size_t s = 0; s < state.sessions.size(); ++s) {
    SessionState& session = state.sessions[s];
    if (window.arrivals[s] == 0) continue;
    state.raise(session);
    // It began beside those of the round before, as far as anybody knows.
    if (session.pin == SessionState::kNoPinYet) session.pin = state.decided_before;
  }
  state.decided_before = state.decided;
  state.arrived_since_round = 0;
  round.transactions = window.fresh;
  Assembly assembly = assemble(state, window.arrivals);
  const std::vector<std::uint32_t> admitted = admissible(state, assembly);
  if (admitted != window.arrivals) assembly = assemble(state, admitted);
  take_out(state, window, admitted);
  decide_round(state, assembly, round);
  ++state.rounds;
  close_silent_sessions(state, state.options.silence);
  for (std::string& name : let_sessions_leave(state)) left_.push_back(std::move(name));
  round.more = round.more || !window.is_whole;
  round.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return round;
}

void Watcher::save(std::string& out) const {
  append_bytes(*state_, out);
}

Watcher Watcher::load(std::string_view bytes, const std::string& path) {
  return Watcher(std::make_unique<State>(read_state(bytes, path)));
}

std::vector<std::string> Watcher::take_left() {
  return std::exchange(left_, {});
}

std::uint64_t Watcher::horizon() const {
  return state_->options.horizon;
}

void Watcher::set_horizon(std::uint64_t horizon) {
  state_->options.horizon = horizon;
}

Kept Watcher::kept() const {
  Kept kept;
  kept.frozen = state_->frozen;
  kept.live = state_->held.transactions() - state_->frozen;
  kept.entries = state_->entries.size();
  kept.sessions = state_->sessions.size();
  kept.waiting = state_->waiting + state_->arrived_since_round;
  return kept;
}

}  // namespace assay::watch
