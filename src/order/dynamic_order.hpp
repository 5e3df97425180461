// A topological order that stays one while edges are added and taken back (Pearce and Kelly 2006): adding an
// edge that the order contradicts moves only nodes between its ends. A base graph is fixed; further edges are
// permanent, or on a stack and undone in reverse.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "memory/huge_pages.hpp"
#include "memory/prefetch.hpp"
#include "order/adjacency.hpp"

namespace assay::order {

class DynamicOrder {
 public:
  // Why an added edge holds: up to two tags that mean something to the caller.
  static constexpr std::uint32_t kNoTag = 0xFFFFFFFFU;
  struct Tags {
    std::uint32_t first = kNoTag, second = kNoTag;
  };
  // One edge of a cycle.
  struct Hop {
    Node from, to;
    bool added;  // else it belongs to the base graph
    Tags tags;   // of an added edge
  };

  // `order` lists every node once, consistent with the base graph, which must outlive this object.
  DynamicOrder(const Adjacency& after, const Adjacency& before, std::span<const Node> order);

  std::uint32_t position(Node u) const { return position_[u]; }
  void prefetch_position(Node u) const { prefetch(position_.data() + u); }
  std::span<const Node> order() const { return order_; }

  // Adds from -> to. If that closes a cycle nothing changes, cycle() tells it, and the result is false. Else
  // moved() lists the nodes whose position changed, by new position.
  bool add(Node from, Node to, Tags tags, bool permanent);
  std::span<const Node> moved_earlier() const { return {moved_.data(), earlier_}; }
  std::span<const Node> moved_later() const { return {moved_.data() + earlier_, moved_.size() - earlier_}; }
  // The cycle that the last failed add() would have closed, the new edge last.
  std::span<const Hop> cycle() const { return cycle_; }

  // Stack edges: how many there are, and back to an earlier number.
  std::uint32_t height() const { return static_cast<std::uint32_t>(stack_.edges.size()); }
  void undo_to(std::uint32_t height);

  // Nodes looked at so far: a measure of work for time limits.
  std::uint64_t steps() const { return steps_; }
  std::size_t resident_bytes() const;

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFFU;
  struct Edge {
    Node from, to;
    std::uint32_t next_out, next_in;  // in the lists of `from` and `to`
    Tags tags;
  };
  struct EdgeLists {
    std::vector<Edge> edges;
    LargeVector<std::uint32_t> out, in;  // node -> newest edge
  };

  static void link(EdgeLists& lists, Node from, Node to, Tags tags);
  bool search_forward(Node from, Node to, Tags tags);
  void search_backward(Node from, Node to);
  void reorder();
  void describe_cycle(Node from, Node to, Tags tags);

  const Adjacency& after_;
  const Adjacency& before_;
  LargeVector<Node> order_;
  LargeVector<std::uint32_t> position_;
  EdgeLists permanent_, stack_;

  // Of the search at hand.
  struct Visit {
    std::uint32_t parent;  // its place in forward_
    std::uint32_t edge;    // an added edge (permanent ones complemented), or kNone
  };
  LargeVector<std::uint32_t> seen_;  // node -> number of the search that reached it
  std::vector<Visit> visits_;        // how each of forward_ was reached
  std::uint32_t search_ = 0;
  std::vector<Node> forward_, backward_, moved_;
  std::size_t earlier_ = 0;  // how many of moved_ moved towards the front
  std::vector<std::uint32_t> slots_;
  std::vector<Hop> cycle_;
  std::uint64_t steps_ = 0;
};

}  // namespace assay::order
