#include "check/weak/commit_order.hpp"

#include <algorithm>
#include <array>

#include "order/cycles.hpp"
#include "order/topological.hpp"

namespace assay::check {

namespace {

// Enough to find the shortest cycle of any graph that a person would look at as a whole.
constexpr std::uint64_t kCycleBudget = 20'000'000;

// Those who are present in an order that has what every level keeps and what is forced; not all of them if
// there is none.
std::vector<Txn> commit_order(const AttributedHistory& h, const order::Graph& forced) {
  const std::vector<std::uint32_t> nodes = order::topological_order(
      h.transactions(), [&](std::uint32_t node) { return h.present(Txn{node}); },
      [&](std::uint32_t node, const auto& visit) {
        h.base_successors(node, visit);
        for (const std::uint32_t after : forced.successors(node)) visit(after);
      });
  std::vector<Txn> order;
  order.reserve(nodes.size());
  for (const std::uint32_t node : nodes) order.push_back(Txn{node});
  return order;
}

// The cycles among the transactions that the topological sort could not place.
std::vector<std::vector<Txn>> cycles_among_unplaced(const AttributedHistory& h,
                                                    const std::vector<Txn>& placed,
                                                    const std::vector<order::Edge>& forced, bool many) {
  std::vector<std::uint32_t> number(h.transactions(), order::kNoNode);
  std::vector<std::uint8_t> is_placed(h.transactions(), 0);
  for (const Txn t : placed) is_placed[index(t)] = 1;
  std::vector<Txn> unplaced;
  for (const Txn t : h.all_transactions()) {
    if (is_placed[index(t)] || !h.present(t)) continue;
    number[index(t)] = static_cast<std::uint32_t>(unplaced.size());
    unplaced.push_back(t);
  }
  std::vector<order::Edge> steps;
  std::vector<std::uint32_t> next(unplaced.size(), order::kNoNode);
  for (std::uint32_t i = 0; i < unplaced.size(); ++i) {
    const Txn t = unplaced[i];
    // Whoever follows an unplaced transaction is unplaced, too.
    if (h.next(t) != kNobody) next[i] = number[index(h.next(t))];
    for (const Txn reader : h.readers(t)) steps.push_back({i, number[index(reader)]});
    for (const std::uint32_t after : h.version_orders().successors(index(t)))
      steps.push_back({i, number[after]});
  }
  for (const order::Edge& edge : forced) {
    if (number[edge.from] != order::kNoNode) steps.push_back({number[edge.from], number[edge.to]});
  }
  const order::Graph graph(static_cast<std::uint32_t>(unplaced.size()), steps);
  steps = {};
  const auto found = many ? order::many_cycles({graph, next}, kCycleBudget / 10)
                          : order::shortest_cycles({graph, next}, kCycleBudget);
  std::vector<std::vector<Txn>> cycles;
  for (const std::vector<std::uint32_t>& nodes : found) {
    std::vector<Txn>& cycle = cycles.emplace_back();
    for (const std::uint32_t node : nodes) cycle.push_back(unplaced[node]);
  }
  std::stable_sort(cycles.begin(), cycles.end(),
                   [](const auto& a, const auto& b) { return a.size() < b.size(); });
  return cycles;
}

bool is_enough(const std::vector<Explanation>& found, std::size_t most) {
  return found.size() >= most || (!found.empty() && found.back().is_certain());
}

// Says nothing about the order of commits, not even that there is one.
CommitOrder find_repeatable_read(const AttributedHistory& h, std::size_t contradictions) {
  CommitOrder result;
  ForcedOrders forced(h);
  force_repeatable_read(h, forced);
  result.forced = forced.edges().size();
  for (const Txn t : forced.before_initial()) {
    if (is_enough(result.contradictions, contradictions)) break;
    result.contradictions.push_back(explain_before_initial(h, Level::repeatable_read, t));
  }
  for (const order::Edge& edge : forced.edges()) {
    if (is_enough(result.contradictions, contradictions)) break;
    // The two sources of the reads: each would have to come before the other.
    const std::array<Txn, 2> cycle{Txn{edge.from}, Txn{edge.to}};
    result.contradictions.push_back(explain_cycle(h, Level::repeatable_read, cycle));
  }
  if (!result.contradictions.empty()) {
    result.verdict = Verdict::violated;
    return result;
  }
  result.verdict = Verdict::holds;
  result.order = commit_order(h, order::Graph(h.transactions(), {}));
  if (result.order.size() != h.present_count()) result.order.clear();
  return result;
}

}  // namespace

CommitOrder find_commit_order(const AttributedHistory& h, Level level, Limits& limits,
                              std::size_t contradictions) {
  if (level == Level::repeatable_read) return find_repeatable_read(h, contradictions);
  CommitOrder result;
  ForcedOrders forced(h);
  // If session order and reads-from already contradict each other, no level allows it, and causality is not
  // even defined.
  const bool causality_is_sound = h.causal_order().size() == h.present_count();
  if (causality_is_sound && !force_axiom(h, level, forced, limits)) return result;
  if (limits.exceeded_now()) return result;
  result.forced = forced.edges().size();

  const order::Graph graph(h.transactions(), forced.edges());
  std::vector<Txn> order = commit_order(h, graph);
  if (order.size() == h.present_count() && forced.before_initial().empty()) {
    result.verdict = Verdict::holds;
    result.order = std::move(order);
    return result;
  }
  result.verdict = Verdict::violated;
  for (const Txn t : forced.before_initial()) {
    if (is_enough(result.contradictions, contradictions)) return result;
    result.contradictions.push_back(explain_before_initial(h, level, t));
  }
  if (!is_enough(result.contradictions, contradictions) && order.size() < h.present_count()) {
    for (const auto& cycle : cycles_among_unplaced(h, order, forced.edges(), contradictions > 1)) {
      if (is_enough(result.contradictions, contradictions)) break;
      result.contradictions.push_back(explain_cycle(h, level, cycle));
    }
  }
  return result;
}

}  // namespace assay::check
