// Edges that were found to follow by force from a problem's known order, each with the rule that it follows by, so that a
// cycle of them can be told as a derivation. Saturation and Settling find them, by different means.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "check/outcome.hpp"
#include "check/strong/problem.hpp"

namespace assay::check {

class Forced {
 public:
  struct Edge {
    Node from, to;
    Rule rule;
    Key key;
    Txn witness;
    std::uint32_t round;  // premises were all there before this round
  };
  std::span<const Edge> edges() const { return edges_; }
  // Calls visit(v, e) for every edge u -> v that was there before the given round: e is an index into
  // edges(), or kKnown for one of the known order.
  static constexpr std::uint32_t kKnown = 0xFFFFFFFFU;
  template <class Visit>
  void for_each_successor(Node u, std::uint32_t before_round, Visit visit) const {
    for (const Node v : p_.after()[u]) visit(v, kKnown);
    for (std::uint32_t e = newest_out_[u]; e != kKnown; e = next_out_[e]) {
      if (edges_[e].round < before_round) visit(edges_[e].to, e);
    }
  }
  // How many edges a rule added.
  std::uint64_t added_by(Rule rule) const;

  // Once a cycle was found: a shortest one that was, as nodes; each has an edge to the next, and the last to the
  // first.
  std::span<const Node> cycle() const { return cycle_; }
  // The transactions that it rests on, sorted.
  std::vector<Txn> core_of_cycle() const;
  // `core` and all transactions that edges between its members rest on, sorted.
  std::vector<Txn> with_premises(std::span<const Txn> core) const;

 protected:
  explicit Forced(const Problem& problem) : p_(problem), newest_out_(problem.nodes(), kKnown) {}
  ~Forced() = default;

  // Rounds do not decrease from one edge to the next.
  void add(const Edge& edge);
  // `missing` is positive for the nodes that a topological sort left over.
  void find_cycle(std::span<const std::uint32_t> missing);

  const Problem& p_;

 private:
  std::vector<Edge> edges_;
  std::vector<std::uint32_t> newest_out_, next_out_;  // lists of edges by source
  std::vector<Node> cycle_;
};

}  // namespace assay::check
