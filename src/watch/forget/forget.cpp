#include "watch/forget/forget.hpp"

#include <algorithm>

#include "order/cycles.hpp"
#include "order/graph.hpp"
#include "watch/forget/candidates.hpp"
#include "watch/forget/retired.hpp"
#include "watch/forget/session_clocks.hpp"

namespace assay::watch {

namespace {

using check::Event;
using check::Presence;
using check::Reads;
using check::Write;

class SettledForgetter {
 public:
  SettledForgetter(const State& state, const Assembly& assembly, const Reads& reads,
                   const check::KnownOrder& order)
      : state_(state),
        a_(assembly),
        h_(assembly.history),
        reads_(reads),
        order_(order),
        events_(order.two_events() ? 2 : 1),
        ambiguous_(h_.transactions(), 0),
        flagged_(h_.transactions(), 0) {}

  Forgetting run() {
    c_.positions = positions_in_sessions(state_, a_);
    find_clocks();
    find_floor();
    c_.proven = proven_fates(h_, reads_);
    keep_latest_start();
    potential_ = potential_writers(h_, reads_);
    c_.entry_writer.assign(h_.keys(), kInitialTxn);
    only_candidate_.assign(h_.keys(), kInitialTxn);
    for (std::uint32_t k = 0; k < h_.keys(); ++k) weigh(Key{k});
    decide();
    return std::move(c_);
  }

 private:
  // One writer of a key.
  struct Writer {
    Txn txn;
    Write write;   // meaningless if it is only a potential one
    bool present;  // else: of unknown fate, and nobody has read from it yet
    bool candidate = false;
    // Its version may be read, or was, or writers exclude each other anyway: its order with others can close
    // a cycle.
    bool matters = false;
  };

  bool frozen(Txn t) const { return c_.frozen[index(t)] != 0; }
  static Event begin_of(Txn t) { return {t, Event::Side::begin}; }
  static Event commit_of(Txn t) { return {t, Event::Side::commit}; }
  bool before(Txn a, Txn b) const { return order_.precedes(commit_of(a), begin_of(b)); }

  // Clocks count events of this round. They are carried over as places in sessions, which mean the same in
  // every round.
  void find_clocks() {
    c_.commits.resize(h_.transactions());
    if (events_ == 2) c_.begins.resize(h_.transactions());
    std::uint32_t held = 0;
    for (const Txn t : h_.all_transactions()) {
      const Place* place = a_.is_fresh(t) ? nullptr : &state_.places[held++];
      const VectorClock& session = state_.sessions[index(h_.session_of(t))].clock;
      c_.commits[index(t)] = absolute(commit_of(t), place == nullptr ? session : place->commit);
      if (events_ == 2) {
        c_.begins[index(t)] = absolute(begin_of(t), place == nullptr ? session : place->begin);
      }
    }
  }

  VectorClock absolute(const Event& event, VectorClock clock) const {
    clock.resize(h_.sessions(), 0);
    const std::span<const std::uint32_t> now = order_.clock_of(event);
    for (std::uint32_t s = 0; s < clock.size(); ++s) {
      if (now[s] == 0) continue;
      const std::uint32_t last = now[s] - 1;
      const Txn t = h_.transactions_of(Session{s})[last / events_];
      clock[s] = std::max(clock[s], c_.positions[index(t)] * events_ + last % events_ + 1);
    }
    return clock;
  }

  // What this round found to precede a kept transaction precedes all that come after that one, even if those
  // in between are gone: the last of each session within the clock passes its own on.
  VectorClock with_what_precedes(const VectorClock& known) const {
    VectorClock clock = known;
    clock.resize(h_.sessions(), 0);
    const auto take = [&](const VectorClock& other) {
      for (std::size_t s = 0; s < other.size(); ++s) clock[s] = std::max(clock[s], other[s]);
    };
    const auto told = std::min(h_.sessions(), static_cast<std::uint32_t>(known.size()));
    for (std::uint32_t s = 0; s < told; ++s) {
      const IdRange<Txn> all = h_.transactions_of(Session{s});
      std::uint32_t low = 0, high = all.size();
      while (low < high) {
        const std::uint32_t middle = low + (high - low) / 2;
        if (c_.positions[index(all[middle])] * events_ + events_ - 1 < known[s]) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      if (low > 0) take(c_.commits[index(all[low - 1])]);
      if (events_ == 2 && low < all.size() && c_.positions[index(all[low])] * 2 < known[s]) {
        take(c_.begins[index(all[low])]);
      }
    }
    return clock;
  }

  void find_floor() {
    for (std::uint32_t s = 0; s < state_.sessions.size(); ++s) {
      const SessionState& session = state_.sessions[s];
      if (!session.has_more() || !has_begun(state_, a_, s)) {
        c_.session_clocks.push_back(session.clock);
        continue;
      }
      VectorClock clock = with_what_precedes(session.clock);
      // The clock of its last transaction, if that is here: it may have grown.
      const IdRange<Txn> all = h_.transactions_of(Session{s});
      if (!all.empty()) clock = later(std::move(clock), c_.commits[index(all[all.size() - 1])]);
      c_.session_clocks.push_back(std::move(clock));
    }
    c_.floor = floor_of(state_, a_, c_.session_clocks, c_.positions, c_.commits);
    c_.frozen.resize(h_.transactions());
    for (const Txn t : h_.all_transactions()) {
      const std::uint32_t commit = c_.positions[index(t)] * events_ + events_ - 1;
      c_.frozen[index(t)] = commit < c_.floor[index(h_.session_of(t))] ? 1 : 0;
    }
  }

  // Real time is the one way in which something still to come can claim to precede what is frozen, a
  // contradiction that must not be missed. The frozen transaction that started last answers for all.
  void keep_latest_start() {
    if (!order_.real_time()) return;
    Txn latest = kInitialTxn;
    for (const Txn t : h_.all_transactions()) {
      if (!frozen(t) || !h_.start(t) || reads_.presence(t) == Presence::absent) continue;
      if (latest == kInitialTxn || *h_.start(t) > *h_.start(latest)) latest = t;
    }
    if (latest != kInitialTxn) ambiguous_[index(latest)] = 1;
  }

  std::span<const Txn> readers(const Writer& w) const {
    return w.present ? order_.readers(w.write) : std::span<const Txn>{};
  }

  void weigh(Key k) {
    // Sorted by transaction, so session by session in order.
    writers_.clear();
    for (const Write w : reads_.writes_of(k)) {
      if (!reads_.is_initial(w)) writers_.push_back({reads_.writer(w), w, true});
    }
    const auto first = std::lower_bound(potential_.begin(), potential_.end(), std::pair(k, Txn{0}));
    const auto present = static_cast<std::ptrdiff_t>(writers_.size());
    for (auto it = first; it != potential_.end() && it->first == k; ++it) {
      writers_.push_back({it->second, Write{}, false});
    }
    if (writers_.empty()) return;
    const auto by_txn = [](const Writer& a, const Writer& b) { return a.txn < b.txn; };
    std::inplace_merge(writers_.begin(), writers_.begin() + present, writers_.end(), by_txn);
    group_by_session(h_, writers_, groups_);
    find_candidates(k);
    for (Writer& w : writers_) {
      w.matters = order_.writers_exclude() || w.candidate || !frozen(w.txn) || !readers(w).empty();
    }
    for (std::uint32_t i = 0; i < writers_.size(); ++i) draw_edges(i);
    for (const Writer& w : writers_) {
      if (!w.present) draw_edges_if_read(k, w);
    }
  }

  void find_candidates(Key k) {
    if (is_retired(h_.name(k))) return;  // all overwritten by the entry
    const std::uint32_t candidates = mark_candidates(
        writers_, groups_, [&](Txn t) { return frozen(t); }, [&](Txn a, Txn b) { return before(a, b); });
    for (const Writer& w : writers_) {
      if (!w.candidate) continue;
      // Of one that may not even have committed, the version before is a candidate too.
      if (candidates > 1 || !w.present) ambiguous_[index(w.txn)] = 1;
      if (candidates == 1) only_candidate_[index(k)] = w.txn;
    }
  }

  // The potential edges between a writer and those whose order with it is open. In one session these are
  // consecutive, and only the nearest needs an edge: the others follow by session order.
  void draw_edges(std::uint32_t i) {
    const Writer& a = writers_[i];
    for (const SessionGroup& group : groups_) {
      if (group.begin <= i && i < group.end) continue;
      const auto begin = writers_.begin() + group.begin, end = writers_.begin() + group.end;
      const auto low =
          std::partition_point(begin, end, [&](const Writer& b) { return before(b.txn, a.txn); });
      const auto high =
          std::partition_point(low, end, [&](const Writer& b) { return !before(a.txn, b.txn); });
      if (low == high) continue;
      if (a.matters) {
        edge((high - 1)->txn, a.txn);
        flagged_[index(a.txn)] = 1;
        for (auto b = low; b != high; ++b) flagged_[index(b->txn)] = 1;
        for (const Txn r : readers(a)) {
          edge(r, low->txn);
          flagged_[index(r)] = 1;
        }
      }
      const auto b = std::find_if(low, high, [](const Writer& w) { return w.matters; });
      if (b != high) edge(a.txn, b->txn);
    }
  }

  // If somebody reads from a transaction of unknown fate, it is one of the writers, and whoever read another
  // version may have to precede it.
  void draw_edges_if_read(Key k, const Writer& u) {
    for (const Write w : reads_.writes_of(k)) {
      for (const Txn r : order_.readers(w)) {
        if (r == u.txn || before(r, u.txn)) continue;
        edge(r, u.txn);
        flagged_[index(r)] = flagged_[index(u.txn)] = 1;
      }
    }
  }

  // The potential graph does not tell a transaction's begin from its commit: that can only join components,
  // and they are dropped whole.
  void edge(Txn from, Txn to) { potential_edges_.push_back({index(from), index(to)}); }

  void decide() {
    const std::uint32_t n = h_.transactions();
    c_.drop.assign(n, 0);
    bool components_matter = false;
    for (std::uint32_t t = 0; t < n; ++t) {
      if (c_.frozen[t] == 0) continue;
      if (flagged_[t] == 0 && ambiguous_[t] == 0) {
        c_.drop[t] = 1;
      } else {
        components_matter = true;
      }
    }
    if (components_matter) drop_components();
    for (std::uint32_t k = 0; k < h_.keys(); ++k) {
      const Txn t = only_candidate_[k];
      if (t != kInitialTxn && c_.drop[index(t)] != 0) c_.entry_writer[k] = t;
    }
  }

  // Components of the potential graph in which all is frozen and no version is open.
  void drop_components() {
    std::vector<order::Edge>& edges = potential_edges_;
    order_.append_edges(edges);
    const std::uint32_t vertices = order_.vertices();
    const std::vector<std::uint32_t> component = order::components(order::Graph(vertices, edges));
    std::vector<std::uint8_t> stays(vertices, 0);  // per component
    for (std::uint32_t t = 0; t < h_.transactions(); ++t) {
      if (c_.frozen[t] == 0 || ambiguous_[t] != 0) stays[component[t]] = 1;
    }
    for (std::uint32_t t = 0; t < h_.transactions(); ++t) {
      if (stays[component[t]] == 0) c_.drop[t] = 1;
    }
  }

  const State& state_;
  const Assembly& a_;
  const History& h_;
  const Reads& reads_;
  const check::KnownOrder& order_;
  const std::uint32_t events_;  // per transaction
  Forgetting c_;

  std::vector<std::pair<Key, Txn>> potential_;
  std::vector<Writer> writers_;  // of the key at hand
  std::vector<SessionGroup> groups_;
  std::vector<order::Edge> potential_edges_;
  std::vector<Txn> only_candidate_;  // per key
  // Holds one of several versions that may still be read, or must stay for another reason.
  std::vector<std::uint8_t> ambiguous_;
  std::vector<std::uint8_t> flagged_;  // has an edge that is only potential
};

}  // namespace

Forgetting forget_settled(const State& state, const Assembly& assembly, const check::Reads& reads,
                          const check::KnownOrder& order) {
  return SettledForgetter(state, assembly, reads, order).run();
}

}  // namespace assay::watch
