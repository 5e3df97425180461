#include "watch/late_sessions.hpp"

#include <fmt/format.h>

#include <span>

#include "watch/forget/session_clocks.hpp"
#include "watch/level_rules.hpp"

namespace assay::watch {

namespace {

class LateSessions {
 public:
  LateSessions(State& state, const Assembly& assembly)
      : state_(state), a_(assembly), h_(assembly.history), late_(state.sessions.size(), 0) {}

  std::vector<std::uint8_t> run() {
    if (!find_late()) return {};
    find_who_is_above();
    find_first_above();
    return leave();
  }

 private:
  bool find_late() {
    const bool must_show = state_.has_forgotten && rules_of(state_.options.level).floor;
    bool some = false;
    for (std::uint32_t s = 0; s < late_.size(); ++s) {
      SessionState& session = state_.sessions[s];
      if (!session.late || a_.fresh[s] == 0) continue;
      late_[s] = must_show ? 1 : 0;
      session.late = must_show;
      some |= must_show;
      if (must_show) continue;
      // Nothing is gone: what counted as frozen only because nobody knew of it does so no more.
      if (session.positions == 0) session.clock = session.visible = {};
      state_.floor.clear();
    }
    return some;
  }

  // All that is frozen precedes them.
  void find_who_is_above() {
    const bool visibility = rules_of(state_.options.level).order == OrderKept::visibility;
    above_.assign(h_.transactions(), 0);
    writer_.assign(h_.versions(), kInitialTxn);
    std::uint32_t held = 0;
    for (const Txn t : h_.all_transactions()) {
      if (a_.is_fresh(t)) {
        above_[index(t)] = late_[index(h_.session_of(t))] == 0 ? 1 : 0;
      } else {
        const Place& place = state_.places[held++];
        above_[index(t)] = covers_floor(visibility ? place.begin : place.commit) ? 1 : 0;
      }
      if (h_.status(t) == Status::aborted) continue;
      for (const Op op : h_.operations_of(t)) {
        if (writes(h_.kind(op))) writer_[index(h_.version(op))] = t;
      }
    }
  }

  bool covers_floor(const VectorClock& clock) const {
    for (std::size_t s = 0; s < state_.floor.size(); ++s) {
      if (state_.floor[s] > (s < clock.size() ? clock[s] : 0)) return false;
    }
    return true;
  }

  bool read_from_above(Txn t) const {
    if (h_.status(t) != Status::committed) return false;
    for (const Op op : h_.operations_of(t)) {
      if (h_.kind(op) != OpKind::read) continue;
      const Txn source = writer_[index(h_.version(op))];
      if (source != kInitialTxn && source != t && above_[index(source)] != 0) return true;
    }
    return false;
  }

  // One that has shown to be above shows it for those who read from it.
  void find_first_above() {
    first_.resize(late_.size());
    for (std::uint32_t s = 0; s < late_.size(); ++s) first_[s] = h_.transactions_of(Session{s}).size();
    for (bool changed = true; changed;) {
      changed = false;
      for (std::uint32_t s = 0; s < late_.size(); ++s) {
        const IdRange<Txn> all = h_.transactions_of(Session{s});
        for (std::uint32_t i = a_.kept[s]; late_[s] != 0 && i < first_[s]; ++i) {
          if (!read_from_above(all[i])) continue;
          for (std::uint32_t j = i; j < first_[s]; ++j) above_[index(all[j])] = 1;
          first_[s] = i;
          changed = true;
        }
      }
    }
  }

  std::vector<std::uint8_t> leave() {
    std::vector<std::uint8_t> leaves(h_.transactions(), 0);
    bool some_leave = false;
    for (std::uint32_t s = 0; s < late_.size(); ++s) {
      if (late_[s] == 0) continue;
      const IdRange<Txn> all = h_.transactions_of(Session{s});
      SessionState& session = state_.sessions[s];
      if (first_[s] < all.size()) {
        session.late = false;
        session.clock = later(std::move(session.clock), state_.floor);
        session.visible = later(std::move(session.visible), state_.floor);
      }
      for (std::uint32_t i = a_.kept[s]; i < first_[s]; ++i) {
        leaves[index(all[i])] = 1;
        some_leave = true;
        state_.excuse(h_, all[i]);
      }
      if (first_[s] == a_.kept[s]) continue;
      state_.left_out = fmt::format(
          "session {} began when transactions that it may have to precede were gone already: what it did "
          "before it read something recent was not judged",
          to_string(session.name.view()));
    }
    if (!some_leave) leaves.clear();
    return leaves;
  }

  State& state_;
  const Assembly& a_;
  const History& h_;
  std::vector<std::uint8_t> late_;   // per session: has to show it
  std::vector<std::uint8_t> above_;  // per transaction
  std::vector<Txn> writer_;          // per version
  std::vector<std::uint32_t>
      first_;  // per session: the first of its transactions that is above; all after are
};

}  // namespace

std::vector<std::uint8_t> drop_late_arrivals(State& state, const Assembly& assembly) {
  return LateSessions(state, assembly).run();
}

}  // namespace assay::watch
