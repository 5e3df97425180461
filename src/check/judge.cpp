#include "check/judge.hpp"

#include <algorithm>
#include <array>

#include "order/cycles.hpp"
#include "order/topological.hpp"

namespace assay::check {

namespace {

// Enough to find the shortest cycle of any graph that a person would look at as a whole.
constexpr std::uint64_t kCycleBudget = 20'000'000;

// False if a limit was reached.
bool force(const AttributedHistory& history, Level level, ForcedOrders& forced, Limits& limits) {
  switch (level) {
    case Level::read_your_writes:
      force_read_your_writes(history, forced);
      return true;
    case Level::monotonic_reads:
      force_monotonic_reads(history, forced);
      return true;
    case Level::monotonic_writes:
      force_monotonic_writes(history, forced);
      return true;
    case Level::writes_follow_reads:
      force_writes_follow_reads(history, forced);
      return true;
    case Level::read_atomic:
      force_read_atomic(history, forced);
      return true;
    case Level::causal:
      return force_causal(history, forced, limits);
    default:
      if (history.has_moments()) {
        force_read_committed_by_moments(history, forced);
      } else {
        force_read_committed(history, forced);
      }
      return true;
  }
}

// The cycles among the transactions that the topological sort could not place.
std::vector<std::vector<std::uint32_t>> cycles_among_unplaced(const AttributedHistory& h,
                                                              const std::vector<std::uint32_t>& placed,
                                                              const std::vector<order::Edge>& forced,
                                                              bool many) {
  std::vector<std::uint32_t> number(h.transactions(), kNobody);
  std::vector<std::uint8_t> is_placed(h.transactions(), 0);
  for (const std::uint32_t t : placed) is_placed[t] = 1;
  std::vector<std::uint32_t> unplaced;
  for (std::uint32_t t = 0; t < h.transactions(); ++t) {
    if (is_placed[t] || !h.present(t)) continue;
    number[t] = static_cast<std::uint32_t>(unplaced.size());
    unplaced.push_back(t);
  }
  std::vector<order::Edge> steps;
  std::vector<std::uint32_t> next(unplaced.size(), order::kNoNode);
  for (std::uint32_t i = 0; i < unplaced.size(); ++i) {
    const std::uint32_t t = unplaced[i];
    // Whoever follows an unplaced transaction is unplaced, too.
    if (h.next(t) != kNobody) next[i] = number[h.next(t)];
    for (const std::uint32_t reader : h.readers(t)) steps.push_back({i, number[reader]});
    for (const std::uint32_t after : h.version_orders().successors(t)) steps.push_back({i, number[after]});
  }
  for (const order::Edge& edge : forced) {
    if (number[edge.from] != kNobody) steps.push_back({number[edge.from], number[edge.to]});
  }
  const order::Graph graph(static_cast<std::uint32_t>(unplaced.size()), steps);
  steps = {};
  auto cycles = many ? order::many_cycles({graph, next}, kCycleBudget / 10)
                     : order::shortest_cycles({graph, next}, kCycleBudget);
  for (auto& cycle : cycles) {
    for (std::uint32_t& node : cycle) node = unplaced[node];
  }
  std::stable_sort(cycles.begin(), cycles.end(),
                   [](const auto& a, const auto& b) { return a.size() < b.size(); });
  return cycles;
}

// Says nothing about the order of commits, not even that there is one.
Judgement judge_repeatable_read(const AttributedHistory& h, std::size_t contradictions) {
  Judgement result;
  ForcedOrders forced(h);
  force_repeatable_read(h, forced);
  result.forced = forced.edges().size();
  for (const std::uint32_t t : forced.before_initial()) {
    if (result.contradictions.size() == contradictions) break;
    result.contradictions.push_back(explain_before_initial(h, Level::repeatable_read, t));
  }
  for (const order::Edge& edge : forced.edges()) {
    if (result.contradictions.size() == contradictions) break;
    // The two sources of the reads: each would have to come before the other.
    const std::array<std::uint32_t, 2> cycle{edge.from, edge.to};
    result.contradictions.push_back(explain_cycle(h, Level::repeatable_read, cycle));
  }
  if (!result.contradictions.empty()) {
    result.verdict = Verdict::violated;
    return result;
  }
  result.verdict = Verdict::holds;
  result.order = order::topological_order(
      h.transactions(), [&](std::uint32_t t) { return h.present(t); },
      [&](std::uint32_t t, const auto& visit) { h.base_successors(t, visit); });
  if (result.order.size() != h.present_count()) result.order.clear();
  return result;
}

}  // namespace

Judgement judge(const AttributedHistory& h, Level level, Limits& limits, std::size_t contradictions) {
  if (level == Level::repeatable_read) return judge_repeatable_read(h, contradictions);
  Judgement result;
  ForcedOrders forced(h);
  // If session order and reads-from already contradict each other, no level allows it, and causality is not
  // even defined.
  const bool causality_is_sound = h.causal_order().size() == h.present_count();
  if (causality_is_sound && !force(h, level, forced, limits)) return result;
  if (limits.exceeded_now()) return result;
  result.forced = forced.edges().size();

  const order::Graph graph(h.transactions(), forced.edges());
  std::vector<std::uint32_t> order = order::topological_order(
      h.transactions(), [&](std::uint32_t t) { return h.present(t); },
      [&](std::uint32_t t, const auto& visit) {
        h.base_successors(t, visit);
        for (const std::uint32_t after : graph.successors(t)) visit(after);
      });
  if (order.size() == h.present_count() && forced.before_initial().empty()) {
    result.verdict = Verdict::holds;
    result.order = std::move(order);
    return result;
  }
  result.verdict = Verdict::violated;
  for (const std::uint32_t t : forced.before_initial()) {
    if (result.contradictions.size() < contradictions) {
      result.contradictions.push_back(explain_before_initial(h, level, t));
    }
  }
  if (result.contradictions.size() < contradictions && order.size() < h.present_count()) {
    for (const auto& cycle : cycles_among_unplaced(h, order, forced.edges(), contradictions > 1)) {
      if (result.contradictions.size() == contradictions) break;
      result.contradictions.push_back(explain_cycle(h, level, cycle));
    }
  }
  return result;
}

}  // namespace assay::check
