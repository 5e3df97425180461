#include "order/cycles.hpp"

#include <algorithm>

namespace assay::order {

std::vector<std::uint32_t> components(const Graph& graph) {
  const std::uint32_t n = graph.nodes();
  std::vector<std::uint32_t> component(n, kNoNode), low(n, 0), number(n, 0), open;
  struct Frame {
    std::uint32_t node;
    std::uint32_t next_successor;
  };
  std::vector<Frame> stack;
  std::uint32_t numbered = 0, found = 0;
  for (std::uint32_t root = 0; root < n; ++root) {
    if (number[root] != 0) continue;
    stack.push_back({root, 0});
    while (!stack.empty()) {
      const std::uint32_t node = stack.back().node;
      if (stack.back().next_successor == 0) {
        number[node] = low[node] = ++numbered;
        open.push_back(node);
      }
      const auto successors = graph.successors(node);
      if (stack.back().next_successor < successors.size()) {
        const std::uint32_t to = successors[stack.back().next_successor++];
        if (number[to] == 0) {
          stack.push_back({to, 0});
        } else if (component[to] == kNoNode) {
          low[node] = std::min(low[node], number[to]);
        }
        continue;
      }
      if (low[node] == number[node]) {
        std::uint32_t member;
        do {
          member = open.back();
          open.pop_back();
          component[member] = found;
        } while (member != node);
        ++found;
      }
      stack.pop_back();
      if (!stack.empty()) low[stack.back().node] = std::min(low[stack.back().node], low[node]);
    }
  }
  return component;
}

namespace {

// Breadth-first search for the way back to a node. A state is a node that was arrived at, or a node on a walk
// along its chain that may still go on for free.
class WayBack {
 public:
  WayBack(const ChainedGraph& graph, std::span<const std::uint32_t> component)
      : graph_(graph),
        component_(component),
        seen_(2 * component.size(), kNoNode),
        parent_(2 * component.size()) {}

  // The nodes of a shortest cycle through `start` of fewer than `limit` steps; empty if there is none.
  std::vector<std::uint32_t> search(std::uint32_t start, std::size_t limit, std::uint64_t& budget) {
    round_ = start;
    component_searched_ = component_[start];
    level_.assign(1, arrived(start));
    parent_[arrived(start)] = kNoNode;
    for (std::size_t steps = 1; steps < limit && !level_.empty(); ++steps) {
      next_level_.clear();
      for (const std::uint32_t state : level_) {
        const std::uint32_t node = state / 2;
        if (budget == 0) return {};
        --budget;
        for (const std::uint32_t to : graph_.steps.successors(node)) {
          if (to == start) return trace(state);
          reach(arrived(to), state);
        }
        // The rest of the chain, in one step; whoever walked here before has already been all the way.
        for (std::uint32_t to = graph_.next[node]; to != kNoNode; to = graph_.next[to]) {
          if (component_[to] != component_searched_ || seen_[walking(to)] == round_) break;
          seen_[walking(to)] = round_;
          if (to == start) return trace(state);
          reach(arrived(to), state);
        }
      }
      level_.swap(next_level_);
    }
    return {};
  }

 private:
  static std::uint32_t arrived(std::uint32_t node) { return 2 * node; }
  static std::uint32_t walking(std::uint32_t node) { return 2 * node + 1; }

  void reach(std::uint32_t state, std::uint32_t from) {
    if (component_[state / 2] != component_searched_ || seen_[state] == round_) return;
    seen_[state] = round_;
    parent_[state] = from;
    next_level_.push_back(state);
  }

  std::vector<std::uint32_t> trace(std::uint32_t state) const {
    std::vector<std::uint32_t> nodes;
    for (; state != kNoNode; state = parent_[state]) nodes.push_back(state / 2);
    std::reverse(nodes.begin(), nodes.end());
    return nodes;
  }

  const ChainedGraph& graph_;
  std::span<const std::uint32_t> component_;
  std::uint32_t round_ = 0, component_searched_ = 0;
  std::vector<std::uint32_t> seen_, parent_, level_, next_level_;
};

// Where cycles can be found: the components, and the nodes at which to look for one. Along chains alone
// nothing comes back, so every cycle passes the head of an edge inside its component.
struct Places {
  std::vector<std::uint32_t> component;
  std::uint32_t components = 0;
  std::vector<bool> is_head;
};

Places places_of_cycles(const ChainedGraph& graph) {
  const std::uint32_t n = graph.steps.nodes();
  std::vector<Edge> all;
  all.reserve(graph.steps.edges() + n);
  for (std::uint32_t node = 0; node < n; ++node) {
    for (const std::uint32_t to : graph.steps.successors(node)) all.push_back({node, to});
    if (graph.next[node] != kNoNode) all.push_back({node, graph.next[node]});
  }
  Places places{components(Graph(n, all)), 0, std::vector<bool>(n, false)};
  for (std::uint32_t node = 0; node < n; ++node) {
    places.components = std::max(places.components, places.component[node] + 1);
    for (const std::uint32_t to : graph.steps.successors(node)) {
      if (places.component[node] == places.component[to]) places.is_head[to] = true;
    }
  }
  return places;
}

}  // namespace

std::vector<std::vector<std::uint32_t>> shortest_cycles(const ChainedGraph& graph, std::uint64_t budget) {
  const Places places = places_of_cycles(graph);
  std::vector<std::vector<std::uint32_t>> best(places.components);
  WayBack way_back(graph, places.component);
  for (std::uint32_t node = 0; node < graph.steps.nodes(); ++node) {
    if (!places.is_head[node]) continue;
    std::vector<std::uint32_t>& known = best[places.component[node]];
    // A component's first search must come to an end for there to be an answer at all.
    std::uint64_t unlimited = UINT64_MAX;
    std::vector<std::uint32_t> cycle =
        way_back.search(node, known.empty() ? SIZE_MAX : known.size(), known.empty() ? unlimited : budget);
    if (!cycle.empty()) known = std::move(cycle);
  }
  std::erase_if(best, [](const auto& cycle) { return cycle.empty(); });
  return best;
}

std::vector<std::vector<std::uint32_t>> many_cycles(const ChainedGraph& graph, std::uint64_t budget) {
  const Places places = places_of_cycles(graph);
  std::vector<std::vector<std::uint32_t>> found;
  std::vector<bool> on_cycle(graph.steps.nodes(), false), has_cycle(places.components, false);
  WayBack way_back(graph, places.component);
  for (std::uint32_t node = 0; node < graph.steps.nodes(); ++node) {
    if (!places.is_head[node] || on_cycle[node]) continue;
    const bool first = !has_cycle[places.component[node]];
    std::uint64_t unlimited = UINT64_MAX;
    std::vector<std::uint32_t> cycle = way_back.search(node, SIZE_MAX, first ? unlimited : budget);
    if (cycle.empty()) continue;
    has_cycle[places.component[node]] = true;
    for (const std::uint32_t passed : cycle) on_cycle[passed] = true;
    found.push_back(std::move(cycle));
  }
  return found;
}

}  // namespace assay::order
