#include "watch/assembly.hpp"

#include <algorithm>

#include "history/builder.hpp"
#include "history/rebuild.hpp"
#include "watch/forget/retired.hpp"
#include "watch/level_rules.hpp"

namespace assay::watch {

namespace {

bool has_version(OpKind kind) {
  return kind != OpKind::list_read && !is_query(kind);
}

class Assembler {
 public:
  Assembler(const State& state, std::span<const std::uint32_t> most) : state_(state) {
    assembly_.kept.assign(state.sessions.size(), 0);
    assembly_.fresh.assign(state.sessions.size(), 0);
    // Those that have not begun are mostly the last, and no clock speaks of them.
    std::uint32_t begun = 0;
    for (std::uint32_t s = 0; s < state.sessions.size(); ++s) {
      if (state.sessions[s].positions + most[s] > 0) begun = s + 1;
    }
    for (std::uint32_t s = 0; s < begun; ++s) builder_.session(state.sessions[s].name.view());
  }

  void add_held() {
    const History& held = state_.held;
    Rebuild rebuild(held, builder_);
    for (const Txn t : held.all_transactions()) {
      const std::uint32_t s = index(held.session_of(t));
      ++assembly_.kept[s];
      builder_.begin(Session{s}, held.name(t));
      for (const Op op : held.operations_of(t)) {
        if (!state_.excused.empty() && is_excused(held, op)) continue;
        rebuild.operation(op, [&](Version v) { return held.is_initial(v); });
      }
      builder_.end(held.status(t), held.start(t), held.end(t));
    }
  }

  // Those among the first `most` of their session.
  void add_arrivals(std::span<const std::uint32_t> most) {
    for (const History& fragment : state_.arrivals) {
      std::optional<std::vector<const Entry*>> entries;  // per key, once something of the fragment is needed
      for (std::uint32_t i = 0; i < fragment.sessions(); ++i) {
        const std::uint32_t s = state_.session_ids.at(to_string(fragment.name(Session{i})));
        for (const Txn t : fragment.transactions_of(Session{i})) {
          if (assembly_.fresh[s] >= most[s]) break;
          if (!entries) entries = entries_of(fragment);
          ++assembly_.fresh[s];
          add_arrival(fragment, t, s, *entries);
        }
      }
    }
  }

  Assembly finish() {
    if (!state_.sessions.empty()) builder_.clocks(Clocks::several);
    assembly_.history = builder_.finish();
    if (state_.has_forgotten) bridge();
    return std::move(assembly_);
  }

 private:
  std::vector<const Entry*> entries_of(const History& fragment) const {
    std::vector<const Entry*> entries(fragment.keys(), nullptr);
    if (state_.entries.empty()) return entries;
    for (std::uint32_t k = 0; k < fragment.keys(); ++k) {
      const auto found = state_.entries.find(fragment.name(Key{k}));
      if (found != state_.entries.end()) entries[k] = &found->second;
    }
    return entries;
  }

  void add_arrival(const History& from, Txn t, std::uint32_t s, const std::vector<const Entry*>& entries) {
    Rebuild rebuild(from, builder_);
    builder_.begin(Session{s}, from.name(t));
    for (const Op op : from.operations_of(t)) {
      if (!state_.excused.empty() && is_excused(from, op)) continue;
      const OpKind kind = from.kind(op);
      const Entry* entry = has_version(kind) ? entries[index(from.key(op))] : nullptr;
      if (entry == nullptr) {
        rebuild.operation(op, [&](Version v) { return from.is_initial(v); });
        continue;
      }
      const Version v = from.version(op);
      const bool is_entry = !from.is_initial(v) && from.value(v) == entry->value.view();
      if (kind == OpKind::read) {
        if (from.is_initial(v)) {
          // The state before all writers, though one of them is frozen: no order explains it, and it must not
          // be taken for the entry.
          builder_.read(from.name(from.key_of(v)), kBeforeEntry);
        } else {
          rebuild.operation(op, [&](Version) { return is_entry && !wrote_before(from, t, op); });
        }
        continue;
      }
      if (is_entry) assembly_.repeated_value = to_string(from.name(from.key_of(v)));
      rebuild.operation(op, [&](Version) { return from.is_initial(v); });
    }
    builder_.end(from.status(t), from.start(t), from.end(t));
  }

  // Of each session only the last transaction within a clock matters, and only where the one before in its
  // own session does not have it already. Clocks only grow along a session, so that one is looked for from
  // there on.
  void bridge() {
    const History& h = assembly_.history;
    const std::uint32_t sessions = h.sessions();
    std::vector<std::uint32_t> first_held(sessions + std::size_t{1}, 0);
    for (std::uint32_t s = 0; s < sessions; ++s) first_held[s + 1] = first_held[s] + assembly_.kept[s];
    const std::uint32_t events = rules_of(state_.options.level).events;
    // Of each event of a kept transaction: its number in its session. A clock covers those below what it
    // says.
    std::vector<std::uint32_t> numbers;
    numbers.reserve(state_.places.size() * events);
    for (const Place& place : state_.places) {
      for (std::uint32_t e = 0; e < events; ++e) numbers.push_back(place.position * events + e);
    }
    const auto event = [&](std::uint32_t s, std::uint32_t number) {
      return check::Event{h.transactions_of(Session{s})[number / events], number % events == events - 1
                                                                              ? check::Event::Side::commit
                                                                              : check::Event::Side::begin};
    };
    // Per session: how many events of kept transactions are covered so far, and by what clock.
    std::vector<std::uint32_t> covered(sessions), covered_by(sessions);
    for (std::uint32_t own = 0; own < sessions; ++own) {
      std::fill(covered.begin(), covered.end(), 0);
      std::fill(covered_by.begin(), covered_by.end(), 0);
      // The kept ones, and the first new one, which comes after all that the session's clock covers.
      const IdRange<Txn> all = h.transactions_of(Session{own});
      const std::uint32_t last = std::min(all.size(), assembly_.kept[own] + 1) * events;
      for (std::uint32_t i = 0; i < last; ++i) {
        const check::Event to = event(own, i);
        const VectorClock* clock = &state_.sessions[own].clock;
        if (i / events < assembly_.kept[own]) {
          const Place& place = state_.places[first_held[own] + i / events];
          clock = to.side == check::Event::Side::commit ? &place.commit : &place.begin;
        }
        const auto told = std::min(sessions, static_cast<std::uint32_t>(clock->size()));
        for (std::uint32_t s = 0; s < told; ++s) {
          if ((*clock)[s] <= covered_by[s] || s == own) continue;
          covered_by[s] = (*clock)[s];
          const std::uint32_t before = covered[s], most = assembly_.kept[s] * events;
          const std::uint32_t* const of_session = numbers.data() + std::size_t{first_held[s]} * events;
          while (covered[s] < most && of_session[covered[s]] < covered_by[s]) ++covered[s];
          if (covered[s] > before) assembly_.known.push_back({event(s, covered[s] - 1), to});
        }
      }
    }
  }

  static bool wrote_before(const History& from, Txn t, Op op) {
    const Key key = from.key(op);
    for (const Op earlier : from.operations_of(t)) {
      if (earlier == op) return false;
      if (writes(from.kind(earlier)) && from.key(earlier) == key) return true;
    }
    return false;
  }

  bool is_excused(const History& from, Op op) const {
    if (from.kind(op) != OpKind::read || from.is_initial(from.version(op))) return false;
    const Version v = from.version(op);
    return state_.excused.contains({OwnedAtom(from.name(from.key_of(v))), OwnedAtom(from.value(v))});
  }

  const State& state_;
  HistoryBuilder builder_;
  Assembly assembly_;
};

}  // namespace

Assembly assemble(const State& state, std::span<const std::uint32_t> admitted) {
  Assembler assembler(state, admitted);
  assembler.add_held();
  assembler.add_arrivals(admitted);
  return assembler.finish();
}

std::vector<std::uint32_t> positions_in_sessions(const State& state, const Assembly& assembly) {
  const History& h = assembly.history;
  std::vector<std::uint32_t> positions;
  positions.reserve(h.transactions());
  std::uint32_t held = 0;
  for (const Txn t : h.all_transactions()) {
    const std::uint32_t s = index(h.session_of(t));
    positions.push_back(assembly.is_fresh(t)
                            ? state.sessions[s].positions + h.position_in_session(t) - assembly.kept[s]
                            : state.places[held++].position);
  }
  return positions;
}

}  // namespace assay::watch
