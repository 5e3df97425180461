#include "watch/forget/session_clocks.hpp"

#include <algorithm>

namespace assay::watch {

VectorClock later(VectorClock a, const VectorClock& b) {
  a.resize(std::max(a.size(), b.size()), 0);
  for (std::size_t s = 0; s < b.size(); ++s) a[s] = std::max(a[s], b[s]);
  return a;
}

std::vector<VectorClock> session_clocks(const State& state, const Assembly& assembly,
                                        const WeakOrder& order) {
  const History& h = assembly.history;
  std::vector<VectorClock> clocks;
  for (std::uint32_t own = 0; own < state.sessions.size(); ++own) {
    const SessionState& session = state.sessions[own];
    VectorClock clock = session.clock;
    clock.resize(state.sessions.size(), 0);
    // What this round found to precede a kept transaction precedes all that come after that one, even if
    // those in between are gone: the last of each session within the clock passes its own on.
    for (std::uint32_t s = 0; s < session.clock.size(); ++s) {
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
