#include "order/graph.hpp"

#include <cassert>

#include "memory/prefetch.hpp"

namespace assay::order {

Graph::Graph(std::uint32_t nodes, std::span<const Edge> edges)
    : begin_(std::size_t{nodes} + 1, 0), targets_(edges.size()) {
  constexpr std::size_t kAhead = 16;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (i + kAhead < edges.size()) prefetch(&begin_[edges[i + kAhead].from]);
    assert(edges[i].from < nodes && edges[i].to < nodes);
    ++begin_[edges[i].from];
  }
  // Each row's end; filling from the back then turns ends into beginnings.
  std::uint64_t total = 0;
  for (std::uint64_t& begin : begin_) {
    total += begin;
    begin = total;
  }
  for (std::size_t i = edges.size(); i-- > 0;) {
    if (i >= 2 * kAhead) prefetch(&begin_[edges[i - 2 * kAhead].from]);
    if (i >= kAhead) prefetch(&targets_[begin_[edges[i - kAhead].from] - 1]);
    targets_[--begin_[edges[i].from]] = edges[i].to;
  }
}

}  // namespace assay::order
