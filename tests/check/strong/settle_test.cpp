// What is found near by follows by force, and at the end of a small history it is all that does.
#include "check/strong/settle.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "check/strong/saturate.hpp"
#include "record/generate/generate.hpp"
#include "support/random/drawn_problem.hpp"
#include "support/random/random_history.hpp"

namespace assay::check {
namespace {

using Result = Settling::Result;

SettlingOptions thorough() {
  SettlingOptions options;
  options.neighbours = 1000;
  options.to_the_end = true;
  return options;
}

std::vector<std::vector<bool>> closure(std::uint32_t nodes, const std::vector<Problem::Edge>& edges) {
  std::vector<std::vector<Node>> after(nodes);
  for (const Problem::Edge& edge : edges) after[edge.from].push_back(edge.to);
  std::vector<std::vector<bool>> reached(nodes, std::vector<bool>(nodes, false));
  for (Node from = 0; from < nodes; ++from) {
    std::vector<Node> queue{from};
    for (std::size_t i = 0; i < queue.size(); ++i) {
      for (const Node v : after[queue[i]]) {
        if (!reached[from][v]) queue.push_back(v);
        reached[from][v] = true;
      }
    }
  }
  return reached;
}

std::vector<Problem::Edge> known_edges(const Problem& problem) {
  std::vector<Problem::Edge> edges;
  for (Node u = 0; u < problem.nodes(); ++u) {
    for (const Node v : problem.after()[u]) edges.push_back({u, v});
  }
  return edges;
}

TEST(Settle, AnEdgeAgainstTheOrderSortsItAgain) {
  // Nothing but the reader says that the first writer comes first, and it reads at the end.
  DrawnProblem drawn("a: w(x,1) w(y,1)\nb: w(x,2)\nc: r(y,1) r(x,2)", Level::serializable);
  Settling settling(drawn.problem, thorough(), drawn.limits);
  ASSERT_EQ(settling.run(), Result::settled);
  ASSERT_EQ(settling.edges().size(), 1U);
  EXPECT_EQ(settling.edges()[0].rule, Rule::overwritten);
  const auto at = [&](Node u) { return std::find(settling.order().begin(), settling.order().end(), u); };
  EXPECT_LT(at(drawn.commit(0)), at(drawn.commit(1)));
}

TEST(Settle, ACycleIsToldByTheTransactionsItRestsOn) {
  DrawnProblem drawn("a: w(x,1) w(y,1)\nb: w(x,2) w(y,2)\nc: r(x,1) r(y,2)\nd: w(z,1)", Level::serializable);
  Settling settling(drawn.problem, thorough(), drawn.limits);
  ASSERT_EQ(settling.run(), Result::cycle);
  EXPECT_EQ(settling.core_of_cycle(), (std::vector<Txn>{Txn{0}, Txn{1}, Txn{2}}));
}

TEST(Settle, ToTheEndItFindsWhatSaturationFinds) {
  const std::uint64_t seed = random_seed();
  for (std::uint64_t i = 0; i < random_cases(1000); ++i) {
    Rng rng(seed + i);
    Shape shape;
    shape.max_transactions = 10;
    shape.times = rng.chance(0.2);
    const History h = random_history(rng, shape);
    const Reads reads = resolve_reads(h);
    if (!reads.bad_reads().empty()) continue;
    for (const Level level : {Level::serializable, Level::snapshot_isolation, Level::prefix,
                              Level::strict_serializable, Level::strong_snapshot_isolation}) {
      const Problem problem({h, reads, strong_level(level), rng.chance(0.5), {}});
      Limits limits;
      Saturation saturation(problem, {}, limits);
      Settling settling(problem, thorough(), limits);
      const bool cycle = saturation.run() == Saturation::Result::cycle;
      ASSERT_EQ(settling.run() == Result::cycle, cycle) << "seed " << seed + i << "\n" << drawing(h);
      if (cycle) continue;
      std::vector<Problem::Edge> all = known_edges(problem);
      for (const Forced::Edge& edge : saturation.edges()) all.push_back({edge.from, edge.to});
      ASSERT_EQ(closure(problem.nodes(), settling.essential_edges()), closure(problem.nodes(), all))
          << "seed " << seed + i << " at " << info(level).name << "\n"
          << drawing(h);
    }
  }
}

// Longer than the window, so that rows are used again and ends are out of sight.
TEST(Settle, InASmallWindowNothingIsFoundThatDoesNotFollow) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    record::GenerateOptions options;
    options.transactions = 500;
    options.keys = 25;
    options.reads = 0.4;
    options.updates = 0;
    options.times = false;
    options.seed = seed;
    const History h = record::generate(options).history;
    const Reads reads = resolve_reads(h);
    for (const Level level : {Level::serializable, Level::snapshot_isolation, Level::prefix}) {
      const Problem problem({h, reads, strong_level(level), false, {}});
      Limits limits;
      Saturation saturation(problem, {}, limits);
      ASSERT_EQ(saturation.run(), Saturation::Result::fixpoint);
      SettlingOptions small;
      small.window = static_cast<std::uint32_t>(1 + 40 * (seed - 1));
      small.neighbours = 8;
      Settling settling(problem, small, limits);
      ASSERT_EQ(settling.run(), Result::settled);
      EXPECT_GT(settling.edges().size(), 100U);
      std::vector<Problem::Edge> edges = known_edges(problem);
      for (const Forced::Edge& edge : settling.edges()) {
        ASSERT_TRUE(saturation.precedes(edge.from, edge.to)) << info(level).name << ", seed " << seed;
        edges.push_back({edge.from, edge.to});
      }
      ASSERT_EQ(closure(problem.nodes(), settling.essential_edges()), closure(problem.nodes(), edges));
      std::vector<std::size_t> place(problem.nodes());
      for (std::size_t i = 0; i < settling.order().size(); ++i) place[settling.order()[i]] = i;
      for (const Problem::Edge& edge : edges) ASSERT_LT(place[edge.from], place[edge.to]);
    }
  }
}

}  // namespace
}  // namespace assay::check
