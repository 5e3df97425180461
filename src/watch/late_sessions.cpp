#include "watch/late_sessions.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "watch/level_rules.hpp"

namespace assay::watch {

namespace {

class LateSessions {
 public:
  LateSessions(State& state, const Assembly& assembly) : state_(state), a_(assembly), h_(assembly.history) {}

  void run() {
    if (!find_late()) return;
    find_who_is_above();
    for (bool changed = true; changed;) {
      changed = false;
      for (const std::uint32_t s : late_) changed |= shows_it(s);
    }
    for (const std::uint32_t s : late_) {
      if (above_[index(first(s))] != 0) continue;
      state_.trusted = to_string(state_.sessions[s].name.view());
      return;
    }
  }

 private:
  Txn first(std::uint32_t s) const { return h_.transactions_of(Session{s})[a_.kept[s]]; }

  // Whether there are such that have to show something.
  bool find_late() {
    for (std::uint32_t s = 0; s < state_.sessions.size(); ++s) {
      SessionState& session = state_.sessions[s];
      if (!session.late || a_.fresh[s] == 0) continue;
      session.late = false;
      late_.push_back(s);
    }
    return !late_.empty() && state_.has_forgotten && rules_of(state_.options.level).floor &&
           state_.trusted.empty();
  }

  // All that is frozen precedes them, whoever is trusted.
  void find_who_is_above() {
    const bool visibility = rules_of(state_.options.level).order == OrderKept::visibility;
    above_.assign(h_.transactions(), 0);
    writer_.assign(h_.versions(), kInitialTxn);
    std::uint32_t held = 0;
    for (const Txn t : h_.all_transactions()) {
      if (a_.is_fresh(t)) {
        above_[index(t)] = !std::binary_search(late_.begin(), late_.end(), index(h_.session_of(t))) ? 1 : 0;
      } else {
        const Place& place = state_.places[held++];
        above_[index(t)] = covers(visibility ? place.begin : place.commit, state_.floor) ? 1 : 0;
      }
      if (h_.status(t) == Status::aborted) continue;
      for (const Op op : h_.operations_of(t)) {
        if (writes(h_.kind(op))) writer_[index(h_.version(op))] = t;
      }
    }
  }

  // One that has shown to be above shows it for those who read from it.
  bool shows_it(std::uint32_t s) {
    if (above_[index(first(s))] != 0) return false;
    const IdRange<Txn> all = h_.transactions_of(Session{s});
    std::uint32_t i = a_.kept[s];
    while (i < all.size() && above_[index(all[i])] == 0 && !is_above(all[i])) ++i;
    bool changed = false;
    for (; i < all.size() && above_[index(all[i])] == 0; ++i, changed = true) above_[index(all[i])] = 1;
    return changed;
  }

  bool is_above(Txn t) const {
    if (began_after_all_that_is_frozen(t)) return true;
    if (h_.status(t) != Status::committed) return false;
    for (const Op op : h_.operations_of(t)) {
      if (h_.kind(op) != OpKind::read) continue;
      const Txn source = writer_[index(h_.version(op))];
      if (source != kInitialTxn && source != t && above_[index(source)] != 0) return true;
    }
    return false;
  }

  bool began_after_all_that_is_frozen(Txn t) const {
    if (!info(state_.options.level).real_time || !h_.start(t) || *h_.start(t) <= state_.frozen_until)
      return false;
    const auto since =
        static_cast<std::uint64_t>(*h_.start(t)) - static_cast<std::uint64_t>(state_.frozen_until);
    return since > static_cast<std::uint64_t>(state_.options.clock_drift);
  }

  State& state_;
  const Assembly& a_;
  const History& h_;
  std::vector<std::uint32_t> late_;  // sessions, in increasing order
  std::vector<std::uint8_t> above_;  // per transaction: it is known to come after all that is frozen
  std::vector<Txn> writer_;          // per version
};

}  // namespace

void look_at_late_sessions(State& state, const Assembly& assembly) {
  LateSessions(state, assembly).run();
}

}  // namespace assay::watch
