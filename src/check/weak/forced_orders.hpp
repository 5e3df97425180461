// The commit orders that an axiom forces: pairs of transactions of which the first must commit before the
// second. Session order is transitive and always part of the commit order, so of several transactions of one
// session that must precede the same one only the last is kept.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "check/weak/attributed.hpp"
#include "order/graph.hpp"

namespace assay::check {

class ForcedOrders {
 public:
  explicit ForcedOrders(const AttributedHistory& history) : h_(history) {}

  // `before` writes what somebody who can see it read from `after` instead.
  void add(Txn before, Txn after) {
    if (before == after || before == kNobody) return;
    if (after == kNobody) {
      if (before_initial_.size() < kEnough) before_initial_.push_back(before);
      return;
    }
    if (before < after && h_.session_of(before) == h_.session_of(after)) return;
    edges_.push_back({index(before), index(after)});
    if (edges_.size() >= compact_at_) compact();
  }

  // Transactions that would have to commit before the initial one: each is a violation by itself. Not all of
  // them if there are very many.
  const std::vector<Txn>& before_initial() const { return before_initial_; }
  const std::vector<order::Edge>& edges() const { return edges_; }

 private:
  static constexpr std::size_t kEnough = 1000;

  // Hot keys repeat the same order many times over.
  void compact() {
    std::sort(edges_.begin(), edges_.end(), [](const order::Edge& a, const order::Edge& b) {
      return a.to != b.to ? a.to < b.to : a.from < b.from;
    });
    std::size_t kept = 0;
    for (std::size_t i = 0; i < edges_.size(); ++i) {
      const bool superseded = i + 1 < edges_.size() && edges_[i + 1].to == edges_[i].to &&
                              h_.session_of(Txn{edges_[i + 1].from}) == h_.session_of(Txn{edges_[i].from});
      if (!superseded) edges_[kept++] = edges_[i];
    }
    edges_.resize(kept);
    compact_at_ = std::max(compact_at_, 2 * kept);
  }

  const AttributedHistory& h_;
  std::vector<order::Edge> edges_;
  std::vector<Txn> before_initial_;
  std::size_t compact_at_ = std::size_t{1} << 24;
};

}  // namespace assay::check
