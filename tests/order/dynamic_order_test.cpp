#include "order/dynamic_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "system/random.hpp"

namespace assay::order {
namespace {

// A base graph without edges, and the plainest possible answer to "does this edge close a cycle".
class Reference {
 public:
  explicit Reference(std::uint32_t nodes) : after_(nodes) {}
  bool reaches(Node from, Node to) const {
    if (from == to) return true;
    std::vector<bool> seen(after_.size(), false);
    std::vector<Node> open{from};
    while (!open.empty()) {
      const Node node = open.back();
      open.pop_back();
      for (const Node next : after_[node]) {
        if (next == to) return true;
        if (!seen[next]) open.push_back(next);
        seen[next] = true;
      }
    }
    return false;
  }
  void add(Node from, Node to) { after_[from].push_back(to); }
  void take_back(Node from) { after_[from].pop_back(); }
  bool agrees(const DynamicOrder& order) const {
    for (Node u = 0; u < after_.size(); ++u) {
      for (const Node v : after_[u]) {
        if (order.position(u) >= order.position(v)) return false;
      }
    }
    return true;
  }

 private:
  std::vector<std::vector<Node>> after_;
};

Adjacency no_edges(std::uint32_t nodes) {
  Adjacency none;
  none.begin.assign(nodes + 1, 0);
  return none;
}

TEST(DynamicOrder, AgreesWithAnExhaustiveSearch) {
  system::Random random(20060101);
  for (int round = 0; round < 200; ++round) {
    const std::uint32_t nodes = 2 + random.below(12U);
    const Adjacency none = no_edges(nodes);
    std::vector<Node> start(nodes);
    std::iota(start.begin(), start.end(), 0U);
    DynamicOrder order(none, none, start);
    Reference reference(nodes);
    std::vector<Node> stack;  // where each edge that can be taken back starts
    for (int step = 0; step < 60; ++step) {
      if (!stack.empty() && random.below(4U) == 0) {
        order.undo_to(order.height() - 1);
        reference.take_back(stack.back());
        stack.pop_back();
        continue;
      }
      const Node from = random.below(nodes), to = random.below(nodes);
      if (from == to) continue;
      const bool cyclic = reference.reaches(to, from);
      ASSERT_EQ(order.add(from, to, {}, false), !cyclic);
      if (cyclic) continue;
      reference.add(from, to);
      stack.push_back(from);
      ASSERT_TRUE(reference.agrees(order));
    }
    std::vector<Node> sorted(order.order().begin(), order.order().end());
    for (std::uint32_t i = 0; i < nodes; ++i) EXPECT_EQ(order.position(sorted[i]), i);
    std::sort(sorted.begin(), sorted.end());
    EXPECT_EQ(sorted, start) << "each node is there once";
  }
}

TEST(DynamicOrder, TellsTheCycleThatAnEdgeWouldClose) {
  const Adjacency none = no_edges(4);
  const std::vector<Node> start{3, 2, 1, 0};
  DynamicOrder order(none, none, start);
  ASSERT_TRUE(order.add(0, 1, {10, 11}, true));
  ASSERT_TRUE(order.add(1, 2, {20}, false));
  ASSERT_FALSE(order.add(2, 0, {30}, false));
  const std::span<const DynamicOrder::Hop> cycle = order.cycle();
  ASSERT_EQ(cycle.size(), 3U);
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    EXPECT_EQ(cycle[i].to, cycle[(i + 1) % cycle.size()].from);
    EXPECT_TRUE(cycle[i].added);
  }
  EXPECT_EQ(cycle.back().from, 2U) << "the new edge comes last";
  EXPECT_EQ(cycle.back().tags.first, 30U);
  EXPECT_TRUE(order.add(2, 3, {}, false)) << "the refused edge left nothing behind";
}

}  // namespace
}  // namespace assay::order
