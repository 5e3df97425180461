#include "watch/forget/weak_order.hpp"

#include <algorithm>
#include <cassert>
#include <optional>

#include "check/known_order.hpp"
#include "order/cycles.hpp"
#include "order/topological.hpp"
#include "watch/level_rules.hpp"

namespace assay::watch {

namespace {

using check::Reads;
using check::Source;
using check::Write;

class Construction {
 public:
  Construction(const State& state, const Assembly& assembly, const Reads& reads)
      : state_(state), a_(assembly), h_(assembly.history), reads_(reads) {}

  WeakOrder run() {
    order_.positions = positions_in_sessions(state_, a_);
    add_what_every_level_keeps();
    if (rules_of(state_.options.level).order == OrderKept::visibility) {
      // So far the edges are those of causality.
      if (!sort()) return std::move(order_);
      fill(
          order_.visible, [](const Place& place) -> const VectorClock& { return place.begin; },
          [](const SessionState& session) -> const VectorClock& { return session.visible; });
      force_causal_orders();
    } else {
      force_orders_of_axiom();
    }
    for (const check::Precedence& pair : a_.known) edge(pair.before.txn, pair.after.txn);
    for (const Reads::VersionOrder& pair : reads_.version_orders()) edge(pair.before, pair.after);
    if (!order_.cycle.empty() || !sort()) return std::move(order_);
    fill(
        order_.before, [](const Place& place) -> const VectorClock& { return place.commit; },
        [](const SessionState& session) -> const VectorClock& { return session.clock; });
    return std::move(order_);
  }

 private:
  void edge(Txn from, Txn to) { order_.edges.push_back({index(from), index(to)}); }

  // Session order, through transactions that do not count too (nothing but session order leads to those), and
  // reads-from.
  void add_what_every_level_keeps() {
    for (const Txn t : h_.all_transactions()) {
      if (h_.position_in_session(t) > 0) edge(Txn{index(t) - 1}, t);
      for (const Source source : reads_.reads_of(t)) {
        const Txn writer = reads_.writer(source.write());
        if (writer != kInitialTxn && writer != t) edge(writer, t);
      }
    }
  }

  // Puts the transactions into an order that has all edges so far, or finds a cycle.
  bool sort() {
    const order::Graph& graph = graph_.emplace(h_.transactions(), order_.edges);
    sorted_ = order::topological_order(
        h_.transactions(), [](std::uint32_t) { return true; },
        [&](std::uint32_t node, const auto& visit) {
          for (const std::uint32_t next : graph.successors(node)) visit(next);
        });
    if (sorted_.size() == h_.transactions()) return true;
    const std::vector<std::uint32_t> no_chain(h_.transactions(), order::kNoNode);
    constexpr std::uint64_t kBudget = 1'000'000;
    const std::vector<std::vector<std::uint32_t>> cycles = order::shortest_cycles({graph, no_chain}, kBudget);
    for (const std::uint32_t t : cycles.front()) order_.cycle.push_back(Txn{t});
    std::sort(order_.cycle.begin(), order_.cycle.end());
    return false;
  }

  // Clocks along the sorted edges, from what is remembered of each kept transaction and each session.
  template <class OfPlace, class OfSession>
  void fill(std::vector<VectorClock>& clocks, const OfPlace& of_place, const OfSession& of_session) {
    clocks.resize(h_.transactions());
    std::uint32_t held = 0;
    for (const Txn t : h_.all_transactions()) {
      VectorClock& clock = clocks[index(t)];
      clock = a_.is_fresh(t) ? of_session(state_.sessions[index(h_.session_of(t))])
                             : of_place(state_.places[held++]);
      clock.resize(h_.sessions(), 0);
    }
    for (const std::uint32_t from : sorted_) {
      const VectorClock& theirs = clocks[from];
      const std::uint32_t s = index(h_.session_of(Txn{from}));
      for (const std::uint32_t to : graph_->successors(from)) {
        VectorClock& mine = clocks[to];
        for (std::size_t i = 0; i < mine.size(); ++i) mine[i] = std::max(mine[i], theirs[i]);
        mine[s] = std::max(mine[s], order_.positions[from] + 1);
      }
    }
  }

  // Where the writes of one key by one session end.
  void group_writes() {
    group_end_.resize(reads_.writes());
    for (std::uint32_t i = reads_.writes(); i-- > 0;) {
      const bool goes_on =
          i + 1 < reads_.writes() && !reads_.is_initial(Write{i}) && !reads_.is_initial(Write{i + 1}) &&
          h_.session_of(reads_.writer(Write{i})) == h_.session_of(reads_.writer(Write{i + 1}));
      group_end_[i] = goes_on ? group_end_[i + 1] : i + 1;
    }
  }

  // Of each session the last visible writer of what was read; those before it follow by session order.
  void force_causal_orders() {
    const History& h = h_;
    group_writes();
    for (const Txn reader : h.all_transactions()) {
      const VectorClock& visible = order_.visible[index(reader)];
      for (const Source source : reads_.reads_of(reader)) {
        const Write seen = source.write();
        const Txn writer = reads_.writer(seen);
        const IdRange<Write> all = reads_.writes_of(reads_.key(seen));
        // They are in order of their transactions, so session by session; the first is the initial one.
        for (std::uint32_t i = index(all[0]) + 1; i < index(all[0]) + all.size(); i = group_end_[i]) {
          const std::uint32_t seen_of_session = visible[index(h.session_of(reads_.writer(Write{i})))];
          std::uint32_t low = i, high = group_end_[i];
          while (low < high) {
            const std::uint32_t middle = low + (high - low) / 2;
            if (order_.positions[index(reads_.writer(Write{middle}))] < seen_of_session) {
              low = middle + 1;
            } else {
              high = middle;
            }
          }
          const Txn last = low == i ? kInitialTxn : reads_.writer(Write{low - 1});
          if (last == kInitialTxn || last == writer) continue;
          if (writer == kInitialTxn) {
            if (order_.cycle.empty()) order_.cycle = {std::min(last, reader), std::max(last, reader)};
          } else if (h.session_of(last) != h.session_of(writer) || last > writer) {
            edge(last, writer);
          }
        }
      }
    }
    std::sort(order_.edges.begin(), order_.edges.end());
    order_.edges.erase(std::unique(order_.edges.begin(), order_.edges.end()), order_.edges.end());
  }

  void force_orders_of_axiom() {
    const std::vector<order::Edge> forced = check::forced_commits(h_, reads_, state_.options.level);
    order_.edges.insert(order_.edges.end(), forced.begin(), forced.end());
  }

  const State& state_;
  const Assembly& a_;
  const History& h_;
  const Reads& reads_;
  WeakOrder order_;
  std::optional<order::Graph> graph_;  // of the edges as they were sorted
  std::vector<std::uint32_t> sorted_;
  std::vector<std::uint32_t> group_end_;  // per write
};

}  // namespace

WeakOrder weak_order(const State& state, const Assembly& assembly, const check::Reads& reads) {
  [[maybe_unused]] const OrderKept order = rules_of(state.options.level).order;
  assert(order == OrderKept::commits || order == OrderKept::visibility);
  assert(reads.ambiguous_sets() == 0 && reads.bad_reads().empty());
  return Construction(state, assembly, reads).run();
}

}  // namespace assay::watch
