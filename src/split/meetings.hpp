// Which sessions meet which parts: the bipartite graph of docs/scale.md, whose circles are what a division cannot see.
// Nodes are the sessions first and the parts behind them.
#pragma once

#include <cstdint>
#include <span>

#include "history/history.hpp"
#include "order/graph.hpp"
#include "split/sets.hpp"

namespace assay::split {

class Meetings {
 public:
  Meetings(const History& history, std::span<const std::uint32_t> part_of, std::uint32_t parts);

  std::uint32_t sessions() const { return sessions_; }
  std::uint32_t parts() const { return graph_.nodes() - sessions_; }
  std::uint32_t nodes() const { return graph_.nodes(); }
  bool is_part(std::uint32_t node) const { return node >= sessions_; }
  std::uint32_t part(std::uint32_t node) const { return node - sessions_; }
  const order::Graph& graph() const { return graph_; }  // each edge both ways

  // Joins the parts of each block (biconnected component; Hopcroft and Tarjan 1973): those on a common circle.
  void join_circles(Sets& parts) const;

 private:
  std::uint32_t sessions_;
  order::Graph graph_;
};

}  // namespace assay::split
