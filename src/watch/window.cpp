#include "watch/window.hpp"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <utility>

#include "history/builder.hpp"
#include "history/rebuild.hpp"

namespace assay::watch {

namespace {

// The transactions of one session in one fragment.
struct Part {
  std::uint32_t session;  // as in the state
  IdRange<Txn> transactions;
};

std::vector<Part> parts_of(const State& state, const History& fragment) {
  std::vector<Part> parts;
  for (std::uint32_t i = 0; i < fragment.sessions(); ++i) {
    const std::uint32_t s = state.session_ids.at(to_string(fragment.name(Session{i})));
    parts.push_back({s, fragment.transactions_of(Session{i})});
  }
  return parts;
}

}  // namespace

Window next_window(State& state) {
  assert(state.options.round_transactions > 0);
  Window window;
  window.arrivals.assign(state.sessions.size(), 0);
  std::vector<std::uint32_t> seen_before(state.sessions.size());
  for (std::size_t s = 0; s < seen_before.size(); ++s) {
    seen_before[s] = state.sessions[s].waiting;
    state.sessions[s].behind = false;
  }
  std::uint64_t room = state.options.round_transactions;
  for (const History& fragment : state.arrivals) {
    std::vector<Part> parts = parts_of(state, fragment);
    std::uint64_t fresh = 0;
    for (Part& part : parts) {
      const std::uint32_t old = std::min(seen_before[part.session], part.transactions.size());
      seen_before[part.session] -= old;
      window.arrivals[part.session] += old;
      part.transactions = {index(part.transactions[old]), index(part.transactions[part.transactions.size()])};
      fresh += part.transactions.size();
    }
    // Where not all of a fragment fits, its sessions go forward side by side.
    const std::uint64_t taken = std::min(room, fresh);
    for (const Part& part : parts) {
      const std::uint64_t all = part.transactions.size();
      const std::uint64_t some = taken == fresh ? all : (all * taken + fresh - 1) / fresh;
      window.arrivals[part.session] += static_cast<std::uint32_t>(some);
      window.fresh += some;
      if (some == all) continue;
      state.sessions[part.session].behind = true;
      window.is_whole = false;
    }
    room -= taken;
  }
  return window;
}

void take_out(State& state, const Window& window, std::span<const std::uint32_t> admitted) {
  std::vector<std::uint32_t> looked_at = window.arrivals, let_in(admitted.begin(), admitted.end());
  HistoryBuilder waiting;  // those of the window; what is beyond it stays as it came
  std::vector<History> beyond;
  for (History& fragment : state.arrivals) {
    const std::vector<Part> parts = parts_of(state, fragment);
    const bool touched = std::any_of(parts.begin(), parts.end(), [&](const Part& part) {
      return looked_at[part.session] > 0 && !part.transactions.empty();
    });
    if (!touched) {
      beyond.push_back(std::move(fragment));
      continue;
    }
    Rebuild rebuild(fragment, waiting);
    for (const Part& part : parts) {
      const std::uint32_t gone = std::min(let_in[part.session], part.transactions.size());
      let_in[part.session] -= gone;
      looked_at[part.session] -= std::min(looked_at[part.session], part.transactions.size());
      for (std::uint32_t i = gone; i < part.transactions.size(); ++i)
        rebuild.transaction(part.transactions[i]);
    }
  }
  state.arrivals.clear();
  state.waiting = 0;
  History first = waiting.finish();
  if (first.transactions() > 0) state.arrivals.push_back(std::move(first));
  std::move(beyond.begin(), beyond.end(), std::back_inserter(state.arrivals));
  for (const History& arrival : state.arrivals) state.waiting += arrival.transactions();
  for (std::size_t s = 0; s < state.sessions.size(); ++s) {
    SessionState& session = state.sessions[s];
    session.waiting = window.arrivals[s] - admitted[s];
    session.behind = session.behind || session.waiting > 0;
  }
}

}  // namespace assay::watch
