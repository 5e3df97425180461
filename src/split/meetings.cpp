#include "split/meetings.hpp"

#include <algorithm>
#include <vector>

namespace assay::split {

Meetings::Meetings(const History& history, std::span<const std::uint32_t> part_of, std::uint32_t parts)
    : sessions_(history.sessions()) {
  std::vector<order::Edge> edges;
  std::vector<std::uint32_t> met;
  for (std::uint32_t s = 0; s < sessions_; ++s) {
    met.clear();
    for (const Txn t : history.transactions_of(Session{s})) {
      if (met.empty() || met.back() != part_of[index(t)]) met.push_back(part_of[index(t)]);
    }
    std::sort(met.begin(), met.end());
    met.erase(std::unique(met.begin(), met.end()), met.end());
    for (const std::uint32_t part : met) {
      edges.push_back({s, sessions_ + part});
      edges.push_back({sessions_ + part, s});
    }
  }
  graph_ = order::Graph(sessions_ + parts, edges);
}

void Meetings::join_circles(Sets& parts) const {
  struct Visit {
    std::uint32_t node, parent, next;  // next: which of its edges to look at
  };
  constexpr std::uint32_t kUnseen = 0;
  std::vector<std::uint32_t> seen(nodes(), kUnseen), low(nodes(), 0), open;
  std::vector<Visit> path;
  std::uint32_t clock = 0;
  // The block of `top` and all that is open above `child`.
  const auto close = [&](std::uint32_t top, std::uint32_t child) {
    std::uint32_t first = is_part(top) ? part(top) : order::kNoNode;
    for (std::uint32_t node = order::kNoNode; node != child;) {
      node = open.back();
      open.pop_back();
      if (!is_part(node)) continue;
      first = first == order::kNoNode ? part(node) : parts.join(first, part(node));
    }
  };
  for (std::uint32_t root = 0; root < nodes(); ++root) {
    if (seen[root] != kUnseen) continue;
    seen[root] = low[root] = ++clock;
    path.push_back({root, order::kNoNode, 0});
    while (!path.empty()) {
      Visit& at = path.back();
      const std::uint32_t node = at.node;
      if (at.next < graph_.successors(node).size()) {
        const std::uint32_t other = graph_.successors(node)[at.next++];
        if (seen[other] == kUnseen) {
          seen[other] = low[other] = ++clock;
          open.push_back(other);
          path.push_back({other, node, 0});
        } else if (other != at.parent) {
          low[node] = std::min(low[node], seen[other]);
        }
        continue;
      }
      const std::uint32_t parent = at.parent;
      path.pop_back();
      if (parent == order::kNoNode) continue;
      low[parent] = std::min(low[parent], low[node]);
      if (low[node] >= seen[parent]) close(parent, node);
    }
  }
}

}  // namespace assay::split
