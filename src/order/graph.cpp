#include "order/graph.hpp"

namespace assay::order {

Graph::Graph(std::uint32_t nodes, std::span<const Edge> edges)
    : begin_(std::size_t{nodes} + 1, 0), targets_(edges.size()) {
  for (const Edge& edge : edges) ++begin_[edge.from];
  // Each row's end; filling from the back then turns ends into beginnings.
  std::uint64_t total = 0;
  for (std::uint64_t& begin : begin_) {
    total += begin;
    begin = total;
  }
  for (std::size_t i = edges.size(); i-- > 0;) targets_[--begin_[edges[i].from]] = edges[i].to;
}

}  // namespace assay::order
