#include "order/dynamic_order.hpp"

#include <algorithm>
#include <cassert>

namespace assay::order {

DynamicOrder::DynamicOrder(const Adjacency& after, const Adjacency& before, std::span<const Node> order)
    : after_(after),
      before_(before),
      order_(order.begin(), order.end()),
      position_(order.size()),
      seen_(order.size(), 0) {
  for (std::uint32_t i = 0; i < order_.size(); ++i) position_[order_[i]] = i;
  for (EdgeLists* lists : {&permanent_, &stack_}) {
    lists->out.assign(order_.size(), kNone);
    lists->in.assign(order_.size(), kNone);
  }
}

void DynamicOrder::link(EdgeLists& lists, Node from, Node to, Tags tags) {
  const auto id = static_cast<std::uint32_t>(lists.edges.size());
  lists.edges.push_back({from, to, lists.out[from], lists.in[to], tags});
  lists.out[from] = id;
  lists.in[to] = id;
}

void DynamicOrder::undo_to(std::uint32_t height) {
  while (stack_.edges.size() > height) {
    const Edge& edge = stack_.edges.back();
    stack_.out[edge.from] = edge.next_out;
    stack_.in[edge.to] = edge.next_in;
    stack_.edges.pop_back();
  }
}

bool DynamicOrder::add(Node from, Node to, Tags tags, bool permanent) {
  moved_.clear();
  earlier_ = 0;
  if (position_[from] >= position_[to]) {
    if (!search_forward(from, to, tags)) return false;
    search_backward(from, to);
    reorder();
  }
  link(permanent ? permanent_ : stack_, from, to, tags);
  return true;
}

// Breadth first from `to`, among nodes before `from`: if `from` is reached, the new edge closes a cycle, and
// a shortest one is found.
bool DynamicOrder::search_forward(Node from, Node to, Tags tags) {
  ++search_;
  forward_.assign(1, to);
  visits_.assign(1, {kNone, kNone});
  if (from == to) {
    describe_cycle(from, to, tags);
    return false;
  }
  const std::uint32_t limit = position_[from];
  seen_[to] = search_;
  for (std::size_t i = 0; i < forward_.size(); ++i) {
    const Node u = forward_[i];
    ++steps_;
    const auto reach = [&](Node v, std::uint32_t edge) {
      if (position_[v] > limit || seen_[v] == search_) return false;
      seen_[v] = search_;
      forward_.push_back(v);
      visits_.push_back({static_cast<std::uint32_t>(i), edge});
      return v == from;
    };
    bool closed = false;
    for (const Node v : after_[u]) closed = closed || reach(v, kNone);
    for (std::uint32_t e = permanent_.out[u]; e != kNone && !closed; e = permanent_.edges[e].next_out) {
      closed = reach(permanent_.edges[e].to, e | 0x80000000U);
    }
    for (std::uint32_t e = stack_.out[u]; e != kNone && !closed; e = stack_.edges[e].next_out) {
      closed = reach(stack_.edges[e].to, e);
    }
    if (closed) {
      describe_cycle(from, to, tags);
      return false;
    }
  }
  return true;
}

// Back from the last node that was reached, which is `from`.
void DynamicOrder::describe_cycle(Node from, Node to, Tags tags) {
  cycle_.clear();
  cycle_.push_back({from, to, true, tags});
  for (std::size_t at = forward_.size() - 1; at != 0; at = visits_[at].parent) {
    const Visit& visit = visits_[at];
    const bool added = visit.edge != kNone;
    Tags why;
    if (added) {
      why = (visit.edge & 0x80000000U) != 0 ? permanent_.edges[visit.edge & 0x7FFFFFFFU].tags
                                            : stack_.edges[visit.edge].tags;
    }
    cycle_.push_back({forward_[visit.parent], forward_[at], added, why});
  }
  std::reverse(cycle_.begin(), cycle_.end());
}

void DynamicOrder::search_backward(Node from, Node to) {
  ++search_;
  backward_.clear();
  const std::uint32_t limit = position_[to];
  seen_[from] = search_;
  backward_.push_back(from);
  for (std::size_t i = 0; i < backward_.size(); ++i) {
    const Node u = backward_[i];
    ++steps_;
    const auto reach = [&](Node v) {
      if (position_[v] < limit || seen_[v] == search_) return;
      seen_[v] = search_;
      backward_.push_back(v);
    };
    for (const Node v : before_[u]) reach(v);
    for (std::uint32_t e = permanent_.in[u]; e != kNone; e = permanent_.edges[e].next_in) {
      reach(permanent_.edges[e].from);
    }
    for (std::uint32_t e = stack_.in[u]; e != kNone; e = stack_.edges[e].next_in) reach(stack_.edges[e].from);
  }
}

// What must come before the edge's source keeps its relative order and goes into the first of the places that
// both parts held; what must come after its target goes into the rest.
void DynamicOrder::reorder() {
  const auto by_position = [&](Node a, Node b) { return position_[a] < position_[b]; };
  std::sort(backward_.begin(), backward_.end(), by_position);
  std::sort(forward_.begin(), forward_.end(), by_position);
  moved_.assign(backward_.begin(), backward_.end());
  earlier_ = moved_.size();
  moved_.insert(moved_.end(), forward_.begin(), forward_.end());
  slots_.resize(moved_.size());
  std::merge(backward_.begin(), backward_.end(), forward_.begin(), forward_.end(), slots_.begin(),
             by_position);
  for (std::uint32_t& slot : slots_) slot = position_[slot];
  for (std::size_t i = 0; i < moved_.size(); ++i) {
    position_[moved_[i]] = slots_[i];
    order_[slots_[i]] = moved_[i];
  }
}

std::size_t DynamicOrder::resident_bytes() const {
  const auto bytes = [](const auto& column) { return column.capacity() * sizeof(column[0]); };
  std::size_t total = bytes(order_) + bytes(position_) + bytes(seen_);
  for (const EdgeLists* lists : {&permanent_, &stack_})
    total += bytes(lists->edges) + bytes(lists->out) + bytes(lists->in);
  return total;
}

}  // namespace assay::order
