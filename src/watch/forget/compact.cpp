#include "watch/forget/compact.hpp"

#include <algorithm>
#include <utility>

#include "history/builder.hpp"
#include "history/rebuild.hpp"
#include "watch/forget/retired.hpp"
#include "watch/forget/session_clocks.hpp"
#include "watch/level_rules.hpp"

namespace assay::watch {

namespace {

void declare_sessions(const History& from, HistoryBuilder& into) {
  for (std::uint32_t s = 0; s < from.sessions(); ++s) into.session(from.name(Session{s}));
}

// Copies what stays, without the reads and the names that a forgetting made meaningless.
class Survivors {
 public:
  Survivors(State& state, const Assembly& assembly, const Forgetting& forgetting)
      : state_(state), h_(assembly.history), c_(forgetting) {
    find_writers();
    retire_keys();
  }

  History copy() {
    builder_.clocks(h_.clocks());
    declare_sessions(h_, builder_);
    for (const Txn t : h_.all_transactions()) {
      if (c_.drop[index(t)] == 0) copy(t);
    }
    return builder_.finish();
  }

 private:
  // A version's transaction, where it is not aborted.
  void find_writers() {
    writer_.assign(h_.versions(), kInitialTxn);
    for (const Txn t : h_.all_transactions()) {
      if (h_.status(t) == Status::aborted) continue;
      for (const Op op : h_.operations_of(t)) {
        if (writes(h_.kind(op))) writer_[index(h_.version(op))] = t;
      }
    }
  }

  // Keys that get an entry: what is frozen of them goes by another name from now on.
  void retire_keys() {
    names_.resize(h_.keys());
    for (std::uint32_t k = 0; k < h_.keys(); ++k) {
      const Txn t = c_.entry_writer[k];
      if (t == kInitialTxn) continue;
      const Atom key = h_.name(Key{k});
      names_[k] = retired(key, ++state_.retirements);
      Entry entry;
      for (const Op op : h_.operations_of(t)) {
        if (writes(h_.kind(op)) && h_.key(op) == Key{k}) entry.value = OwnedAtom(h_.value(h_.version(op)));
      }
      entry.txn = OwnedAtom(h_.name(t));
      const SessionState& session = state_.sessions[index(h_.session_of(t))];
      entry.session = session.name;
      entry.serial = session.serial;
      entry.position = c_.positions[index(t)];
      const auto at = state_.entries.find(key);
      if (at != state_.entries.end()) {
        at->second = std::move(entry);
      } else {
        state_.entries.emplace(OwnedAtom(key), std::move(entry));
      }
    }
  }

  void copy(Txn t) {
    written_.clear();
    builder_.begin(h_.session_of(t), h_.name(t));
    for (const Op op : h_.operations_of(t)) {
      if (writes(h_.kind(op))) {
        written_.push_back(h_.key(op));
        put(op, c_.frozen[index(t)] != 0);
      } else if (h_.status(t) == Status::committed) {
        read(t, op);
      }
    }
    // When it took effect is still open above, so it keeps no end.
    if (c_.proven[index(t)] != 0) return builder_.end(Status::committed, h_.start(t), std::nullopt);
    builder_.end(h_.status(t), h_.start(t), h_.end(t));
  }

  void read(Txn t, Op op) {
    const Version v = h_.version(op);
    const Key k = h_.key_of(v);
    const bool splits = c_.entry_writer[index(k)] != kInitialTxn;
    if (std::find(written_.begin(), written_.end(), k) != written_.end()) {
      return put(op, c_.frozen[index(t)] != 0);
    }
    const Txn source = writer_[index(v)];
    if (source == kInitialTxn) {
      // Whoever read what was there before is known to precede all writers that are here, and the entry.
      if (!splits) put(op, false);
    } else if (c_.drop[index(source)] == 0) {
      put(op, c_.frozen[index(source)] != 0);
    } else if (source == c_.entry_writer[index(k)]) {
      builder_.read_initial(h_.name(k));
    }
    // Else its writer is gone, whose order with every other writer is known; so is the reader's.
  }

  // `old`: it belongs to the frozen part of its key.
  void put(Op op, bool old) {
    const Version v = h_.version(op);
    const Key k = h_.key_of(v);
    const bool rename = old && c_.entry_writer[index(k)] != kInitialTxn;
    const Atom key = rename ? names_[index(k)].view() : h_.name(k);
    if (h_.is_initial(v)) return builder_.read_initial(key);
    switch (h_.kind(op)) {
      case OpKind::write:
        return builder_.write(key, h_.value(v));
      case OpKind::insert:
        return builder_.insert(key, h_.value(v));
      case OpKind::erase:
        return builder_.erase(key, h_.value(v));
      default:
        return builder_.read(key, h_.value(v));
    }
  }

  State& state_;
  const History& h_;
  const Forgetting& c_;
  HistoryBuilder builder_;
  std::vector<Txn> writer_;       // per version
  std::vector<OwnedAtom> names_;  // per key: of its older part, if it gets one
  std::vector<Key> written_;      // by the transaction at hand, so far
};

void count_decided(State& state, const Assembly& assembly) {
  for (const std::uint32_t fresh : assembly.fresh) state.decided += fresh;
  for (std::size_t s = 0; s < state.sessions.size(); ++s) {
    if (assembly.fresh[s] > 0) state.sessions[s].last_heard = state.decided;
  }
}

// What must be known of those who come late.
void remember_what_goes(State& state, const Assembly& assembly, const Forgetting& forgetting) {
  const LevelRules& rules = rules_of(state.options.level);
  if (!rules.floor) return;
  const History& h = assembly.history;
  for (const Txn t : h.all_transactions()) {
    if (forgetting.frozen[index(t)] != 0 && info(state.options.level).real_time &&
        h.status(t) != Status::aborted) {
      state.frozen_until = std::max(state.frozen_until, h.end(t).value_or(INT64_MAX));
    }
    if (forgetting.drop[index(t)] == 0 || rules.order != OrderKept::visibility) continue;
    state.gone = later(std::move(state.gone), forgetting.commits[index(t)]);
    std::uint32_t& own = state.gone[index(h.session_of(t))];
    own = std::max(own, forgetting.positions[index(t)] + 1);
  }
}

// All that is frozen precedes what is still to come, by the clocks of those who may send it. Where that rests on a
// pin, it is put into the clock before the session goes on.
void find_who_is_late(State& state) {
  const LevelRules& rules = rules_of(state.options.level);
  if (!rules.floor || !state.has_forgotten) return;
  for (SessionState& session : state.sessions) {
    if (session.late || !session.has_more()) continue;
    const VectorClock& clock = rules.order == OrderKept::visibility ? session.visible : session.clock;
    session.late = !covers(clock, state.floor);
  }
}

}  // namespace

void compact(State& state, const Assembly& assembly, std::span<const std::uint8_t> leaves) {
  const History& h = assembly.history;
  const bool keeps_visibility = rules_of(state.options.level).order == OrderKept::visibility;
  HistoryBuilder builder;
  builder.clocks(h.clocks());
  declare_sessions(h, builder);
  Rebuild rebuild(h, builder);
  std::vector<Place> places;
  std::uint32_t held = 0;
  count_decided(state, assembly);
  for (const Txn t : h.all_transactions()) {
    SessionState& session = state.sessions[index(h.session_of(t))];
    Place place;
    if (assembly.is_fresh(t)) {
      const VectorClock& begin = keeps_visibility ? session.visible : session.clock;
      place = {session.positions++, begin, session.clock, state.decided};
    } else {
      place = std::move(state.places[held++]);
    }
    if (!leaves.empty() && leaves[index(t)] != 0) {
      // What preceded it precedes the rest of its session.
      session.clock = later(std::move(session.clock), place.commit);
      if (keeps_visibility) {
        session.visible = later(std::move(session.visible), place.begin);
      }
      continue;
    }
    rebuild.transaction(t);
    places.push_back(std::move(place));
  }
  state.held = builder.finish();
  state.places = std::move(places);
  state.frozen = std::min<std::uint64_t>(state.frozen, state.places.size());
}

void compact(State& state, const Assembly& assembly, Forgetting& forgetting) {
  const History& h = assembly.history;
  History kept = Survivors(state, assembly, forgetting).copy();
  std::vector<Place> places;
  state.frozen = 0;
  remember_what_goes(state, assembly, forgetting);
  count_decided(state, assembly);
  std::uint32_t held = 0;
  for (const Txn t : h.all_transactions()) {
    const bool fresh = assembly.is_fresh(t);
    if (fresh) ++state.sessions[index(h.session_of(t))].positions;
    const std::uint64_t decided = fresh ? state.decided : state.places[held++].decided;
    if (forgetting.drop[index(t)] != 0) {
      state.has_forgotten = true;
      continue;
    }
    state.frozen += forgetting.frozen[index(t)];
    places.push_back({forgetting.positions[index(t)],
                      forgetting.begins.empty() ? VectorClock{} : std::move(forgetting.begins[index(t)]),
                      std::move(forgetting.commits[index(t)]), decided});
  }
  for (std::size_t s = 0; s < state.sessions.size(); ++s) {
    state.sessions[s].clock = std::move(forgetting.session_clocks[s]);
    if (!forgetting.session_visible.empty()) {
      state.sessions[s].visible = std::move(forgetting.session_visible[s]);
    }
  }
  state.floor = std::move(forgetting.floor);
  find_who_is_late(state);
  state.held = std::move(kept);
  state.places = std::move(places);
}

}  // namespace assay::watch
