#include "check/opinion/sat.hpp"

#include <algorithm>
#include <cadical.hpp>
#include <vector>

#include "check/limits.hpp"
#include "check/opinion/polygraph.hpp"
#include "check/opinion/second_opinion.hpp"

namespace assay::check {

namespace {

constexpr std::size_t kMostEdges = 4'000'000;
constexpr std::uint32_t kMostNodes = 20'000;
constexpr int kSatisfiable = 10;
constexpr int kUnsatisfiable = 20;

class GiveUp final : public CaDiCaL::Terminator {
 public:
  explicit GiveUp(Limits& limits) : limits_(limits) {}
  bool terminate() override { return limits_.exceeded(); }

 private:
  Limits& limits_;
};

// The edges that hold under an assignment, sorted by node; finds an order of the nodes, or cycles.
class ChosenEdges {
 public:
  explicit ChosenEdges(const Polygraph& g) : g_(g) {}

  template <class Holds>
  void choose(Holds holds) {
    begin_.assign(g_.nodes + std::size_t{1}, 0);
    chosen_.clear();
    for (std::uint32_t i = 0; i < g_.edges.size(); ++i) {
      const auto& conditions = g_.edges[i].conditions;
      if (!std::all_of(conditions.begin(), conditions.end(), holds)) continue;
      chosen_.push_back(i);
      ++begin_[g_.edges[i].from + 1];
    }
    for (std::uint32_t u = 0; u < g_.nodes; ++u) begin_[u + 1] += begin_[u];
    by_node_.resize(chosen_.size());
    std::vector<std::uint32_t> next(begin_.begin(), begin_.end() - 1);
    for (const std::uint32_t i : chosen_) by_node_[next[g_.edges[i].from]++] = i;
  }

  // All nodes in order; shorter if there are cycles.
  std::vector<std::uint32_t> topological_order() const {
    std::vector<std::uint32_t> waiting_for(g_.nodes, 0), order;
    for (const std::uint32_t i : chosen_) ++waiting_for[g_.edges[i].to];
    order.reserve(g_.nodes);
    for (std::uint32_t u = 0; u < g_.nodes; ++u) {
      if (waiting_for[u] == 0) order.push_back(u);
    }
    for (std::size_t done = 0; done < order.size(); ++done) {
      for (std::uint32_t e = begin_[order[done]]; e < begin_[order[done] + 1]; ++e) {
        const std::uint32_t v = g_.edges[by_node_[e]].to;
        if (--waiting_for[v] == 0) order.push_back(v);
      }
    }
    return order;
  }

  // A shortest cycle through `start`, as edges; empty if there is none.
  std::vector<std::uint32_t> shortest_cycle(std::uint32_t start) {
    reached_by_.assign(g_.nodes, kNone);
    std::vector<std::uint32_t> queue{start};
    for (std::size_t done = 0; done < queue.size(); ++done) {
      for (std::uint32_t e = begin_[queue[done]]; e < begin_[queue[done] + 1]; ++e) {
        const std::uint32_t v = g_.edges[by_node_[e]].to;
        if (reached_by_[v] != kNone) continue;
        reached_by_[v] = by_node_[e];
        if (v == start) return way_back(start);
        queue.push_back(v);
      }
    }
    return {};
  }

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFFU;

  std::vector<std::uint32_t> way_back(std::uint32_t start) const {
    std::vector<std::uint32_t> cycle;
    std::uint32_t u = start;
    do {
      cycle.push_back(reached_by_[u]);
      u = g_.edges[reached_by_[u]].from;
    } while (u != start);
    return cycle;
  }

  const Polygraph& g_;
  std::vector<std::uint32_t> chosen_;
  std::vector<std::uint32_t> begin_, by_node_;  // chosen edges, sorted by `from`
  std::vector<std::uint32_t> reached_by_;
};

// At least one literal of the cycle's edges must be false.
std::vector<Literal> forbid(const Polygraph& g, const std::vector<std::uint32_t>& cycle) {
  std::vector<Literal> clause;
  for (const std::uint32_t e : cycle) {
    for (const Literal condition : g.edges[e].conditions) {
      if (condition != 0) clause.push_back(-condition);
    }
  }
  std::sort(clause.begin(), clause.end());
  clause.erase(std::unique(clause.begin(), clause.end()), clause.end());
  return clause;
}

void add(CaDiCaL::Solver& solver, const std::vector<Literal>& clause) {
  for (const Literal l : clause) solver.add(l);
  solver.add(0);
}

std::vector<Event> events(const Polygraph& g, const Reads& reads, const std::vector<std::uint32_t>& order,
                          CaDiCaL::Solver& solver) {
  std::vector<Event> events;
  const std::uint32_t per_transaction = g.one_event ? 1 : 2;
  for (const std::uint32_t u : order) {
    if (u >= reads.transactions() * per_transaction) continue;  // a point in time
    const Txn t{u / per_transaction};
    const Literal counts = g.counts[index(t)];
    if (reads.presence(t) == Presence::absent || (counts != 0 && solver.val(counts) < 0)) continue;
    events.push_back({t, u == g.commit_of(t) ? Event::Side::commit : Event::Side::begin});
  }
  return events;
}

}  // namespace

Outcome decide_by_sat(const History& history, const Reads& reads, Level level, const Options& options) {
  if (auto known = answer_without_search(history, reads, level, options)) return *std::move(known);
  if (history.transactions() > kMostNodes / 2) {
    return undecided(level, "the history has more than 10000 transactions, too many for a plain encoding");
  }
  const auto polygraph = build_polygraph(history, reads, event_rules(history, level, options), kMostEdges);
  if (!polygraph) {
    return undecided(level, "the polygraph has more than four million edges, too many for a plain encoding");
  }
  const Polygraph& g = *polygraph;
  Limits limits(options.timeout_seconds, options.memory_bytes);
  GiveUp give_up(limits);
  CaDiCaL::Solver solver;
  solver.set("quiet", 1);
  solver.connect_terminator(&give_up);
  solver.reserve(g.variables);
  for (const auto& clause : g.clauses) add(solver, clause);

  ChosenEdges chosen(g);
  while (true) {
    const int answer = solver.solve();
    if (answer == kUnsatisfiable) return violated_by(level, "sat: unsatisfiable");
    if (answer != kSatisfiable || limits.exceeded_now()) return undecided(level, limits.reason());
    chosen.choose([&](Literal l) { return l == 0 || solver.val(l) > 0; });
    const std::vector<std::uint32_t> order = chosen.topological_order();
    if (order.size() == g.nodes) {
      return holds_by(level, reads, "sat: satisfiable", events(g, reads, order, solver));
    }
    std::vector<bool> acyclic(g.nodes, false);
    for (const std::uint32_t u : order) acyclic[u] = true;
    // One shortest cycle per node that is on one; a node on a cycle already forbidden need not be asked.
    std::vector<std::vector<Literal>> forbidden;
    for (std::uint32_t u = 0; u < g.nodes; ++u) {
      if (acyclic[u]) continue;
      const auto cycle = chosen.shortest_cycle(u);
      for (const std::uint32_t e : cycle) acyclic[g.edges[e].from] = true;
      if (!cycle.empty()) forbidden.push_back(forbid(g, cycle));
      if (limits.exceeded_now()) return undecided(level, limits.reason());
    }
    for (const auto& clause : forbidden) add(solver, clause);
  }
}

}  // namespace assay::check
