#include "order/cycles.hpp"

#include <gtest/gtest.h>

#include <array>

#include "order/topological.hpp"
#include "support/random/random_history.hpp"

namespace assay::order {
namespace {

std::vector<std::uint32_t> sorted_topologically(const Graph& graph) {
  return topological_order(
      graph.nodes(), [](std::uint32_t) { return true; },
      [&](std::uint32_t node, const auto& visit) {
        for (const std::uint32_t to : graph.successors(node)) visit(to);
      });
}

TEST(Graph, GroupsEdgesByTheirStart) {
  const std::array<Edge, 4> edges{{{2, 0}, {0, 1}, {2, 1}, {2, 0}}};
  const Graph graph(4, edges);
  EXPECT_EQ(graph.nodes(), 4U);
  EXPECT_EQ(graph.edges(), 4U);
  EXPECT_EQ(std::vector(graph.successors(2).begin(), graph.successors(2).end()),
            (std::vector<std::uint32_t>{0, 1, 0}));
  EXPECT_TRUE(graph.successors(3).empty());
  EXPECT_EQ(Graph().nodes(), 0U);
}

TEST(TopologicalOrder, LeavesOutWhatIsOnOrBehindACycle) {
  const std::array<Edge, 4> edges{{{0, 1}, {1, 2}, {2, 1}, {2, 3}}};
  EXPECT_EQ(sorted_topologically(Graph(5, edges)), (std::vector<std::uint32_t>{0, 4}));
}

TEST(ShortestCycles, CountAWalkAlongAChainAsOneStep) {
  // 0 -> 1 -> 2 -> 3 is a chain; back from 3 to 0 in one step, or around by 4 and 5 from 1.
  const std::array<std::uint32_t, 6> next{1, 2, 3, kNoNode, kNoNode, kNoNode};
  const std::array<Edge, 4> edges{{{3, 0}, {1, 4}, {4, 5}, {5, 1}}};
  const auto cycles = shortest_cycles({Graph(6, edges), next}, 1000);
  ASSERT_EQ(cycles.size(), 1U);
  EXPECT_EQ(cycles[0], (std::vector<std::uint32_t>{0, 3}));
}

TEST(ShortestCycles, AreFoundInEachComponent) {
  const std::array<std::uint32_t, 6> next{kNoNode, kNoNode, kNoNode, kNoNode, kNoNode, kNoNode};
  const std::array<Edge, 6> edges{{{0, 1}, {1, 0}, {1, 2}, {2, 3}, {3, 4}, {4, 2}}};
  const Graph graph(6, edges);
  const auto cycles = shortest_cycles({graph, next}, 1000);
  ASSERT_EQ(cycles.size(), 2U);
  EXPECT_EQ(cycles[0].size() + cycles[1].size(), 5U);
  EXPECT_EQ(many_cycles({graph, next}, 1000).size(), 2U);
  EXPECT_EQ(shortest_cycles({graph, next}, 0).size(), 2U) << "even without a budget for more";
}

// All distances by Floyd and Warshall; a cycle's length is the way there and the way back.
std::uint32_t girth(const ChainedGraph& graph) {
  constexpr std::uint32_t kFar = 1000;
  const std::uint32_t n = graph.steps.nodes();
  std::vector<std::vector<std::uint32_t>> distance(n, std::vector<std::uint32_t>(n, kFar));
  for (std::uint32_t a = 0; a < n; ++a) {
    for (const std::uint32_t b : graph.steps.successors(a)) distance[a][b] = 1;
    for (std::uint32_t b = graph.next[a]; b != kNoNode; b = graph.next[b]) distance[a][b] = 1;
  }
  for (std::uint32_t k = 0; k < n; ++k) {
    for (std::uint32_t a = 0; a < n; ++a) {
      for (std::uint32_t b = 0; b < n; ++b) {
        distance[a][b] = std::min(distance[a][b], distance[a][k] + distance[k][b]);
      }
    }
  }
  std::uint32_t best = kFar;
  for (std::uint32_t a = 0; a < n; ++a) best = std::min(best, distance[a][a]);
  return best == kFar ? 0 : best;
}

TEST(ShortestCycles, AreShortest) {
  const std::uint64_t seed = random_seed();
  for (std::uint64_t i = 0; i < random_cases(2000); ++i) {
    Rng rng(seed + i);
    const std::uint32_t n = rng.between(1, 12);
    std::vector<std::uint32_t> next(n, kNoNode);
    for (std::uint32_t node = 0; node + 1 < n; ++node) {
      if (rng.chance(0.6)) next[node] = node + 1;
    }
    std::vector<Edge> edges;
    for (std::uint32_t e = rng.below(2 * n); e-- > 0;) edges.push_back({rng.below(n), rng.below(n)});
    const Graph graph(n, edges);
    const ChainedGraph chained{graph, next};
    const auto cycles = shortest_cycles(chained, 1'000'000);
    std::size_t shortest = 0;
    for (const auto& cycle : cycles) {
      if (shortest == 0 || cycle.size() < shortest) shortest = cycle.size();
    }
    ASSERT_EQ(shortest, girth(chained)) << "seed " << seed + i;
    ASSERT_EQ(many_cycles(chained, 1'000'000).empty(), cycles.empty());
  }
}

}  // namespace
}  // namespace assay::order
