#include "watch/forget/session_clocks.hpp"

#include <algorithm>
#include <optional>

#include "watch/level_rules.hpp"

namespace assay::watch {

namespace {

constexpr std::uint32_t kNone = 0xFFFFFFFFU;

// What had been judged when so many transactions had been, of what is still here. The rest is below the floor.
VectorClock judged_by(const State& state, const Assembly& assembly, std::uint64_t pin) {
  const std::uint32_t events = rules_of(state.options.level).events;
  VectorClock clock(assembly.history.sessions(), 0);
  std::uint32_t first = 0;
  for (std::uint32_t s = 0; s < clock.size(); first += assembly.kept[s++]) {
    const auto begin = state.places.begin() + first, end = begin + assembly.kept[s];
    const auto after =
        std::partition_point(begin, end, [&](const Place& place) { return place.decided <= pin; });
    if (after != begin) clock[s] = ((after - 1)->position + 1) * events;
  }
  return clock;
}

// Takes out of what is below the floor whatever follows something that is not. The floor may know sessions of which
// nothing is here.
void close_downwards(VectorClock& floor, const History& h, std::uint32_t events,
                     std::span<const std::uint32_t> positions, std::span<const VectorClock> before) {
  for (bool changed = true; changed;) {
    changed = false;
    for (std::uint32_t s = 0; s < std::min<std::size_t>(floor.size(), h.sessions()); ++s) {
      for (const Txn t : h.transactions_of(Session{s})) {
        const std::uint32_t begin = positions[index(t)] * events;
        if (begin + events > floor[s]) break;
        if (covers(floor, before[index(t)])) continue;
        floor[s] = begin;
        changed = true;
        break;
      }
    }
  }
}

}  // namespace

VectorClock floor_of(const State& state, const Assembly& assembly, std::span<const VectorClock> clocks,
                     std::span<const std::uint32_t> positions, std::span<const VectorClock> before) {
  const std::uint32_t columns = assembly.history.sessions();
  VectorClock floor(columns, kNone);
  const auto lower = [&](const VectorClock& clock, const VectorClock& pinned) {
    for (std::uint32_t i = 0; i < columns; ++i) {
      const std::uint32_t known = i < clock.size() ? clock[i] : 0;
      floor[i] = std::min(floor[i], std::max(known, i < pinned.size() ? pinned[i] : 0));
    }
  };
  // Those that have not begun are all alike but for their pins.
  std::optional<std::uint64_t> lowest_pin;
  bool some_are_pinned = false;
  for (std::uint32_t s = 0; s < state.sessions.size(); ++s) {
    const SessionState& session = state.sessions[s];
    // What waits is still to come too, even of a session that sends nothing more.
    if (!session.has_more()) continue;
    if (!has_begun(state, assembly, s)) {
      const std::uint64_t pin = std::min(session.pin, state.decided);
      lowest_pin = std::min(lowest_pin.value_or(pin), pin);
    } else {
      some_are_pinned = some_are_pinned || session.pin > 0;
      lower(clocks[s], session.pin > 0 ? judged_by(state, assembly, session.pin) : VectorClock{});
    }
  }
  if (lowest_pin) lower({}, judged_by(state, assembly, *lowest_pin));
  const std::uint32_t events = rules_of(state.options.level).events;
  for (std::uint32_t s = 0; s < columns; ++s) {
    floor[s] = std::min(floor[s], (state.sessions[s].positions + assembly.fresh[s]) * events);
  }
  // Whoever comes late, or comes back, begins above what it was. Where nothing is gone yet, nothing rests on it.
  const VectorClock was = state.has_forgotten ? state.floor : VectorClock{};
  floor = later(std::move(floor), was);
  if (!lowest_pin && !some_are_pinned) return floor;
  close_downwards(floor, assembly.history, events, positions, before);
  return later(std::move(floor), was);
}

std::vector<VectorClock> session_clocks(const State& state, const Assembly& assembly,
                                        const WeakOrder& order) {
  const History& h = assembly.history;
  std::vector<VectorClock> clocks;
  for (std::uint32_t own = 0; own < state.sessions.size(); ++own) {
    const SessionState& session = state.sessions[own];
    VectorClock clock = session.clock;
    // Where there is a floor, one that is closed and comes back begins above it.
    const bool over = !session.has_more() && rules_of(state.options.level).floor;
    if (over || !has_begun(state, assembly, own)) {
      clocks.push_back(std::move(clock));
      continue;
    }
    clock.resize(h.sessions(), 0);
    // What this round found to precede a kept transaction precedes all that come after that one, even if
    // those in between are gone: the last of each session within the clock passes its own on.
    const auto told = std::min(h.sessions(), static_cast<std::uint32_t>(session.clock.size()));
    for (std::uint32_t s = 0; s < told; ++s) {
      const IdRange<Txn> all = h.transactions_of(Session{s});
      std::uint32_t low = 0, high = all.size();
      while (low < high) {
        const std::uint32_t middle = low + (high - low) / 2;
        if (order.positions[index(all[middle])] < session.clock[s]) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      if (low > 0) clock = later(std::move(clock), order.before[index(all[low - 1])]);
    }
    const IdRange<Txn> all = h.transactions_of(Session{own});
    if (!all.empty()) clock = later(std::move(clock), order.before[index(all[all.size() - 1])]);
    clock[own] = session.positions + assembly.fresh[own];
    clocks.push_back(std::move(clock));
  }
  return clocks;
}

std::vector<std::uint8_t> proven_fates(const History& history, const check::Reads& reads) {
  std::vector<std::uint8_t> proven;
  proven.reserve(history.transactions());
  for (const Txn t : history.all_transactions()) {
    const bool present = reads.presence(t) == check::Presence::present;
    proven.push_back(present && history.status(t) == Status::unknown ? 1 : 0);
  }
  return proven;
}

}  // namespace assay::watch
