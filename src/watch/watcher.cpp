#include "watch/watcher.hpp"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "check/problem.hpp"
#include "check/weak.hpp"
#include "history/builder.hpp"
#include "history/rebuild.hpp"
#include "watch/admission.hpp"
#include "watch/assembly.hpp"
#include "watch/judge.hpp"
#include "watch/retired.hpp"
#include "watch/state.hpp"

namespace assay::watch {

std::uint32_t Watcher::State::session_id(std::string_view name) {
  const auto [at, is_new] =
      session_ids.try_emplace(std::string(name), static_cast<std::uint32_t>(sessions.size()));
  if (is_new) {
    SessionState session;
    session.name = OwnedAtom(Atom::string(name));
    // What is frozen already must come before all that a newcomer does.
    session.late = started;
    session.clock = floor;
    session.visible = floor;
    sessions.push_back(std::move(session));
  }
  return at->second;
}

std::uint32_t events_per_transaction(Level level) {
  return !check::WeakChecker::decides(level) && check::strong_level(level).two_events ? 2 : 1;
}

bool Watcher::State::any_open() const {
  for (const SessionState& session : sessions) {
    if (session.open) return true;
  }
  return false;
}

void Watcher::State::values_repeat(const std::string& where) {
  if (!options.unique_values) return;
  if (collected || reported) {
    undecidable =
        fmt::format("{}: verdicts were built on the promise that no value is written to a key twice", where);
    return;
  }
  options.unique_values = false;
}

Watcher::Watcher(const WatchOptions& options) : state_(std::make_unique<State>()) {
  state_->options = options;
}
Watcher::Watcher(std::unique_ptr<State> state) : state_(std::move(state)) {}
Watcher::Watcher(Watcher&&) noexcept = default;
Watcher& Watcher::operator=(Watcher&&) noexcept = default;
Watcher::~Watcher() = default;

void Watcher::admit(std::string_view session) {
  SessionState& admitted = state_->sessions[state_->session_id(session)];
  if (!admitted.open) admitted.late = true;
  admitted.open = true;
}

void Watcher::close(std::string_view session) {
  state_->sessions[state_->session_id(session)].open = false;
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
  if (fragment.transactions() == 0) return;
  for (std::uint32_t s = 0; s < fragment.sessions(); ++s) {
    const Atom name = fragment.name(Session{s});
    SessionState& session = state_->sessions[state_->session_id(to_string(name))];
    if (!session.open) {
      // It was said to send nothing more, and what it could have touched may be gone.
      session.late = true;
      session.open = true;
    }
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
  for (const OpKind kind : {OpKind::append, OpKind::list_read, OpKind::predicate_read, OpKind::range_read}) {
    if (fragment.has(kind)) state_->only_added = true;
  }
  if (speaks_our_names(fragment)) {
    state_->only_added = true;
    if (state_->collected) state_->undecidable = "a key or value begins with the control character 31";
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
  round.transactions = std::exchange(state.arrived_since_round, 0);

  Assembly assembly = assemble(state);
  const std::vector<std::uint32_t> admitted = admissible(state, assembly);
  History waiting;
  state.waiting = 0;
  for (std::uint32_t s = 0; s < admitted.size(); ++s) {
    state.sessions[s].behind = admitted[s] < assembly.fresh[s].size();
    state.waiting += assembly.fresh[s].size() - admitted[s];
  }
  if (state.waiting > 0) {
    waiting = left_waiting(state, assembly, admitted);
    assembly = assemble(state, admitted);
  }
  judge(state, assembly, round);
  state.arrivals.clear();
  if (state.waiting > 0) state.arrivals.push_back(std::move(waiting));
  state.started = true;
  round.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return round;
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
  kept.waiting = state_->waiting + state_->arrived_since_round;
  return kept;
}

}  // namespace assay::watch
