#include <algorithm>

#include "order/cycles.hpp"
#include "order/graph.hpp"
#include "watch/forget/candidates.hpp"
#include "watch/forget/forget_weak.hpp"
#include "watch/forget/retired.hpp"
#include "watch/forget/session_clocks.hpp"

namespace assay::watch {

namespace {

using check::Reads;
using check::Source;
using check::Write;

class CausalForgetter {
 public:
  CausalForgetter(const State& state, const Assembly& assembly, const Reads& reads, WeakOrder order)
      : state_(state),
        a_(assembly),
        h_(assembly.history),
        reads_(reads),
        order_(std::move(order)),
        stays_(h_.transactions(), 0),
        flagged_(h_.transactions(), 0) {}

  Forgetting run() {
    find_floor();
    c_.proven = proven_fates(h_, reads_);
    find_potential_writers();
    c_.entry_writer.assign(h_.keys(), kInitialTxn);
    only_candidate_.assign(h_.keys(), kInitialTxn);
    for (std::uint32_t k = 0; k < h_.keys(); ++k) weigh(Key{k});
    decide();
    c_.positions = std::move(order_.positions);
    c_.begins = std::move(order_.visible);
    c_.commits = std::move(order_.before);
    return std::move(c_);
  }

 private:
  struct Writer {
    Txn txn;
    bool present;  // else: of unknown fate, and nobody has read from it yet
    bool candidate = false;
  };

  bool frozen(Txn t) const { return c_.frozen[index(t)] != 0; }
  bool before(Txn a, Txn b) const { return order_.precedes(h_, a, b); }
  // A transaction still to come can read its version without a contradiction.
  bool readable(const Writer& w) const { return w.candidate || !frozen(w.txn); }

  void find_floor() {
    c_.session_clocks = session_clocks(state_, a_, order_);
    for (std::uint32_t s = 0; s < state_.sessions.size(); ++s) {
      const SessionState& session = state_.sessions[s];
      VectorClock visible = session.visible;
      if (session.has_more() && has_begun(state_, a_, s)) {
        visible.resize(h_.sessions(), 0);
        const IdRange<Txn> all = h_.transactions_of(Session{s});
        if (!all.empty()) visible = later(std::move(visible), order_.visible[index(all[all.size() - 1])]);
        visible[s] = session.positions + a_.fresh[s];
      }
      c_.session_visible.push_back(std::move(visible));
    }
    c_.floor = floor_of(state_, a_, c_.session_visible, order_.positions, order_.visible);
    c_.frozen.resize(h_.transactions());
    for (const Txn t : h_.all_transactions()) {
      c_.frozen[index(t)] = order_.positions[index(t)] < c_.floor[index(h_.session_of(t))] ? 1 : 0;
    }
  }

  // Who would write a key if somebody still to come read from them, and who read these keys.
  void find_potential_writers() {
    potential_ = potential_writers(h_, reads_);
    if (potential_.empty()) return;
    for (const Txn t : h_.all_transactions()) {
      for (const Source source : reads_.reads_of(t)) {
        readers_.push_back({reads_.key(source), t, reads_.writer(source.write())});
      }
    }
    std::sort(readers_.begin(), readers_.end());
  }

  void weigh(Key k) {
    // Sorted by transaction, so session by session in order.
    writers_.clear();
    for (const Write w : reads_.writes_of(k)) {
      if (!reads_.is_initial(w)) writers_.push_back({reads_.writer(w), true});
    }
    const auto first = std::lower_bound(potential_.begin(), potential_.end(), std::pair(k, Txn{0}));
    const auto present = static_cast<std::ptrdiff_t>(writers_.size());
    for (auto it = first; it != potential_.end() && it->first == k; ++it) {
      writers_.push_back({it->second, false});
    }
    if (writers_.empty()) return;
    const auto by_txn = [](const Writer& a, const Writer& b) { return a.txn < b.txn; };
    std::inplace_merge(writers_.begin(), writers_.begin() + present, writers_.end(), by_txn);
    group_by_session(h_, writers_, groups_);
    find_candidates(k);
    for (std::uint32_t i = 0; i < writers_.size(); ++i) draw_edges(i);
    for (const Writer& w : writers_) {
      if (!w.present) keep_what_it_would_order(k, w.txn);
    }
  }

  void find_candidates(Key k) {
    if (is_retired(h_.name(k))) return;  // all overwritten by the entry
    const std::uint32_t candidates = mark_candidates(
        writers_, groups_, [&](Txn t) { return frozen(t); }, [&](Txn a, Txn b) { return before(a, b); });
    for (const Writer& w : writers_) {
      if (!w.candidate) continue;
      // Of one that may not even have committed, the version before is a candidate too.
      if (candidates > 1 || !w.present) stays_[index(w.txn)] = 1;
      if (candidates == 1) only_candidate_[index(k)] = w.txn;
    }
    const Txn only = only_candidate_[index(k)];
    if (only == kInitialTxn) return;
    for (const Writer& w : writers_) {
      // An entry comes before all writers that are live.
      if (!frozen(w.txn) && before(w.txn, only)) stays_[index(only)] = 1;
    }
  }

  // A read still to come of a version orders every other writer of the key that it sees before it. In one
  // session those whose order is open are consecutive, and only the nearest needs an edge: the others follow
  // by session order.
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
      if (readable(a)) {
        edge((high - 1)->txn, a.txn);
        flagged_[index(a.txn)] = 1;
        for (auto b = low; b != high; ++b) flagged_[index(b->txn)] = 1;
      }
      const auto b = std::find_if(low, high, [&](const Writer& w) { return readable(w); });
      if (b != high) edge(a.txn, b->txn);
    }
  }

  // If somebody reads from a transaction of unknown fate, it is one of the writers, and whoever saw it and
  // read another version has ordered the two. What that needs stays.
  void keep_what_it_would_order(Key k, Txn unknown) {
    const auto first = std::lower_bound(readers_.begin(), readers_.end(), Reader{k, Txn{0}, Txn{0}});
    for (auto it = first; it != readers_.end() && it->key == k; ++it) {
      if (it->reader == unknown || !order_.sees(h_, it->reader, unknown)) continue;
      if (it->source != kInitialTxn) {
        if (before(unknown, it->source)) continue;
        edge(unknown, it->source);
        stays_[index(it->source)] = 1;
      }
      stays_[index(it->reader)] = stays_[index(unknown)] = 1;
      // No entry, which would take the place of what the reader saw.
      if (only_candidate_[index(k)] != kInitialTxn) stays_[index(only_candidate_[index(k)])] = 1;
    }
  }

  void edge(Txn from, Txn to) { order_.edges.push_back({index(from), index(to)}); }

  void decide() {
    const std::uint32_t n = h_.transactions();
    c_.drop.assign(n, 0);
    // The order that is known, and what the future may add to it.
    const std::vector<std::uint32_t> component = order::components(order::Graph(n, order_.edges));
    std::vector<std::uint8_t> component_stays(n, 0);
    for (std::uint32_t t = 0; t < n; ++t) {
      if (c_.frozen[t] == 0 || stays_[t] != 0) component_stays[component[t]] = 1;
    }
    for (std::uint32_t t = 0; t < n; ++t) {
      const bool settled = c_.frozen[t] != 0 && flagged_[t] == 0 && stays_[t] == 0;
      c_.drop[t] = settled || component_stays[component[t]] == 0 ? 1 : 0;
    }
    for (std::uint32_t k = 0; k < h_.keys(); ++k) {
      const Txn t = only_candidate_[k];
      if (t != kInitialTxn && c_.drop[index(t)] != 0) c_.entry_writer[k] = t;
    }
  }

  const State& state_;
  const Assembly& a_;
  const History& h_;
  const Reads& reads_;
  WeakOrder order_;
  Forgetting c_;

  std::vector<std::pair<Key, Txn>> potential_;
  struct Reader {
    Key key;
    Txn reader, source;
    auto operator<=>(const Reader&) const = default;
  };
  std::vector<Reader> readers_;
  std::vector<Writer> writers_;  // of the key at hand
  std::vector<SessionGroup> groups_;
  std::vector<Txn> only_candidate_;  // per key
  // Holds one of several versions that may still be read, or must stay for another reason.
  std::vector<std::uint8_t> stays_;
  std::vector<std::uint8_t> flagged_;  // has an edge that is only potential
};

}  // namespace

Forgetting forget_causal(const State& state, const Assembly& assembly, const check::Reads& reads,
                         WeakOrder order) {
  return CausalForgetter(state, assembly, reads, std::move(order)).run();
}

}  // namespace assay::watch
