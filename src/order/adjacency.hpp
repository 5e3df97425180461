// Edges of a directed graph over dense node numbers, by source: one array of targets, one of offsets.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "memory/huge_pages.hpp"

namespace assay::order {

using Node = std::uint32_t;

struct Adjacency {
  std::vector<std::uint32_t> begin{0};  // one more entry than nodes
  LargeVector<Node> targets;

  std::span<const Node> operator[](Node u) const {
    return {targets.data() + begin[u], targets.data() + begin[u + 1]};
  }
  std::uint32_t nodes() const { return static_cast<std::uint32_t>(begin.size() - 1); }
  std::size_t resident_bytes() const {
    return begin.capacity() * sizeof(begin[0]) + targets.capacity() * sizeof(targets[0]);
  }
};

}  // namespace assay::order
