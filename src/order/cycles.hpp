// Cycles for people: which nodes lie on one, and a shortest one. Used only once a graph is known to be
// cyclic.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "order/graph.hpp"

namespace assay::order {

// The strongly connected component of each node, numbered from 0 (Tarjan).
std::vector<std::uint32_t> components(const Graph& graph);

// A graph part of whose edges run along chains (sessions). Walking any distance along one chain is one step,
// since the order along a chain is transitive and needs no explanation station by station.
struct ChainedGraph {
  const Graph& steps;                   // all other edges
  std::span<const std::uint32_t> next;  // per node: the next one of its chain, or kNoNode
};

// Cycles as lists of nodes: from each to the next, and from the last to the first, there is an edge of
// `steps` or a walk along a chain.

// One shortest cycle in each component that has any. Shortest as long as the search stays within `budget`
// visited nodes; beyond it the shortest found so far.
std::vector<std::vector<std::uint32_t>> shortest_cycles(const ChainedGraph& graph, std::uint64_t budget);

// Many short cycles, none through the first node of another: at least one in each component that has any,
// further ones while the budget lasts.
std::vector<std::vector<std::uint32_t>> many_cycles(const ChainedGraph& graph, std::uint64_t budget);

}  // namespace assay::order
