// Kahn's topological sort over any graph that can list a node's successors. First in, first out: nodes come
// out by their distance from the start, so sessions that talk to each other advance side by side and what one
// node leaves behind for later ones is needed soon.
#pragma once

#include <cstdint>
#include <vector>

namespace assay::order {

// `successors(node, visit)` calls visit(next) for each edge; several edges to one node are fine. Nodes for
// which `takes_part(node)` is false are left out and must not be visited. The result holds every node that
// takes part iff the graph is acyclic; otherwise the nodes on cycles and behind them are missing.
template <class TakesPart, class Successors>
std::vector<std::uint32_t> topological_order(std::uint32_t nodes, const TakesPart& takes_part,
                                             const Successors& successors) {
  std::vector<std::uint32_t> waiting_for(nodes, 0);
  for (std::uint32_t node = 0; node < nodes; ++node) {
    if (!takes_part(node)) continue;
    successors(node, [&](std::uint32_t next) { ++waiting_for[next]; });
  }
  std::vector<std::uint32_t> order;
  order.reserve(nodes);
  for (std::uint32_t node = 0; node < nodes; ++node) {
    if (takes_part(node) && waiting_for[node] == 0) order.push_back(node);
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    successors(order[i], [&](std::uint32_t next) {
      if (--waiting_for[next] == 0) order.push_back(next);
    });
  }
  return order;
}

}  // namespace assay::order
