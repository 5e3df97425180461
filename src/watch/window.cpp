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
  bool fits = false;  // it is among those that this round goes on with
};

std::vector<Part> parts_of(const State& state, const History& fragment) {
  std::vector<Part> parts;
  for (std::uint32_t i = 0; i < fragment.sessions(); ++i) {
    const std::uint32_t s = state.session_ids.at(to_string(fragment.name(Session{i})));
    parts.push_back({s, fragment.transactions_of(Session{i})});
  }
  return parts;
}

// What a round still takes. The clocks of its transactions have a number for each session that has begun, so
// where sessions come and go it takes only so many that have not, in the order in which they came.
class Room {
 public:
  explicit Room(const State& state)
      : state_(state),
        transactions_(state.options.round_transactions),
        rows_(state.held.transactions() + state.waiting),
        is_in_(state.sessions.size(), false) {
    for (std::size_t s = 0; s < state.sessions.size(); ++s) {
      if (state.sessions[s].positions + state.sessions[s].waiting > 0) enter(s);
    }
    most_columns_ = columns_ + kLeastSessions;
  }

  // `waits`: some of the session is part of the round anyway.
  bool has_room_for(std::uint32_t session, bool waits, std::uint32_t transactions) {
    if (is_in_[session] || waits) return true;
    const bool few = columns_ < most_columns_ ||
                     (rows_ + newcomers_ + transactions) * (columns_ + 1) <= state_.options.round_cells;
    full_ = full_ || !few;
    if (full_) return false;
    newcomers_ += transactions;
    enter(session);
    return true;
  }

  // Of so many as fit, how many.
  std::uint64_t take(std::uint64_t fresh) {
    const std::uint64_t rows = state_.options.round_cells / std::max<std::uint64_t>(columns_, 1);
    const std::uint64_t most = std::max(kLeastTransactions, rows - std::min(rows, rows_));
    const std::uint64_t taken = std::min({fresh, transactions_, most});
    transactions_ = taken < fresh ? 0 : transactions_ - taken;
    rows_ += taken;
    newcomers_ = 0;
    return taken;
  }

 private:
  // However much is kept already.
  static constexpr std::uint64_t kLeastTransactions = 256, kLeastSessions = 32;

  void enter(std::size_t session) {
    is_in_[session] = true;
    ++columns_;
  }

  const State& state_;
  std::uint64_t transactions_;
  std::uint64_t rows_;           // of the clocks, so far
  std::uint64_t newcomers_ = 0;  // transactions of sessions that begin in the fragment at hand
  std::uint64_t columns_ = 0, most_columns_ = 0;
  std::vector<bool> is_in_;
  bool full_ = false;
};

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
  Room room(state);
  for (const History& fragment : state.arrivals) {
    std::vector<Part> parts = parts_of(state, fragment);
    std::uint64_t fresh = 0;
    for (Part& part : parts) {
      const std::uint32_t old = std::min(seen_before[part.session], part.transactions.size());
      seen_before[part.session] -= old;
      window.arrivals[part.session] += old;
      part.transactions = {index(part.transactions[old]), index(part.transactions[part.transactions.size()])};
      if (part.transactions.empty()) continue;
      part.fits =
          room.has_room_for(part.session, window.arrivals[part.session] > 0, part.transactions.size());
      if (part.fits) fresh += part.transactions.size();
    }
    // Where not all of a fragment fits, its sessions go forward side by side.
    const std::uint64_t taken = room.take(fresh);
    for (const Part& part : parts) {
      const std::uint64_t all = part.transactions.size();
      const std::uint64_t some = !part.fits ? 0 : taken == fresh ? all : (all * taken + fresh - 1) / fresh;
      window.arrivals[part.session] += static_cast<std::uint32_t>(some);
      window.fresh += some;
      if (some == all) continue;
      state.sessions[part.session].behind = true;
      window.is_whole = false;
    }
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
    const bool waited = session.waiting > 0 && admitted[s] == 0;
    session.waiting = window.arrivals[s] - admitted[s];
    if (!waited) session.waiting_since = state.rounds;
    session.behind = session.behind || session.waiting > 0;
  }
}

}  // namespace assay::watch
