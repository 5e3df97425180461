// A directed graph over dense node numbers, its edges grouped by where they start (compressed rows): eight
// bytes per node and four per edge, built by two passes over a list of edges.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "memory/huge_pages.hpp"

namespace assay::order {

inline constexpr std::uint32_t kNoNode = 0xFFFFFFFFU;

struct Edge {
  std::uint32_t from, to;
  auto operator<=>(const Edge&) const = default;
};

class Graph {
 public:
  Graph() = default;
  // REQUIRES: every end of every edge is below `nodes`.
  Graph(std::uint32_t nodes, std::span<const Edge> edges);

  std::uint32_t nodes() const { return static_cast<std::uint32_t>(begin_.size() - 1); }
  std::size_t edges() const { return targets_.size(); }
  std::span<const std::uint32_t> successors(std::uint32_t node) const {
    return {targets_.data() + begin_[node], targets_.data() + begin_[node + 1]};
  }

 private:
  std::vector<std::uint64_t> begin_{0};
  LargeVector<std::uint32_t> targets_;
};

}  // namespace assay::order
