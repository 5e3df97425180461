#include "check/strong/forced.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace assay::check {

namespace {

constexpr std::uint32_t kNone = 0xFFFFFFFFU;

// What edges rest on, all the way down to the known order. An edge's premises are older than itself, so that one pass over the
// edges, the newest first, is enough.
class Premises {
 public:
  Premises(const Problem& problem, const Forced& forced)
      : p_(problem),
        forced_(forced),
        needed_(forced.edges().size(), false),
        seen_(p_.nodes(), 0),
        reached_by_(p_.nodes()) {}

  void need(std::size_t edge) { needed_[edge] = true; }
  void need_hop(Node from, Node to) { need_path(from, to, kNone); }

  std::vector<Txn> transactions() && {
    for (std::size_t e = needed_.size(); e-- > 0;) {
      if (!needed_[e]) continue;
      const Forced::Edge& edge = forced_.edges()[e];
      const Txn from = p_.txn_of(edge.from), to = p_.txn_of(edge.to);
      txns_.insert(txns_.end(), {from, to});
      if (edge.witness != kInitialTxn) txns_.push_back(edge.witness);
      if (edge.rule == Rule::overwritten) {
        need_path(p_.commit_of(from), p_.begin_of(edge.witness), edge.round);
      } else if (edge.rule == Rule::anti_dependency) {
        need_path(p_.level.writers_exclude ? p_.begin_of(edge.witness) : p_.commit_of(edge.witness),
                  p_.commit_of(to), edge.round);
      } else if (edge.rule == Rule::first_committer) {
        need_path(p_.begin_of(from), p_.commit_of(to), edge.round);
      }
    }
    std::sort(txns_.begin(), txns_.end());
    txns_.erase(std::unique(txns_.begin(), txns_.end()), txns_.end());
    return std::move(txns_);
  }

 private:
  struct Hop {
    Node from;
    std::uint32_t edge;
  };

  // A shortest path of edges that were there before a round. REQUIRES: there is one.
  void need_path(Node from, Node to, std::uint32_t before_round) {
    ++search_;
    queue_.assign(1, from);
    seen_[from] = search_;
    for (std::size_t i = 0; seen_[to] != search_; ++i) {
      assert(i < queue_.size());
      const Node u = queue_[i];
      forced_.for_each_successor(u, before_round, [&](Node v, std::uint32_t edge) {
        if (seen_[v] == search_) return;
        seen_[v] = search_;
        reached_by_[v] = {u, edge};
        queue_.push_back(v);
      });
    }
    for (Node v = to; v != from; v = reached_by_[v].from) take(reached_by_[v], v);
  }

  void take(const Hop& hop, Node to) {
    if (hop.edge != Forced::kKnown) {
      need(hop.edge);
      return;
    }
    if (along_session(hop.from, to)) return;  // inner transactions of a run along a session are not needed
    for (const Node u : {hop.from, to}) {
      if (p_.is_event(u)) txns_.push_back(p_.txn_of(u));
    }
    if (!p_.is_event(hop.from) || !p_.is_event(to)) return;
    if (const auto* shown = p_.reads.version_order(p_.txn_of(hop.from), p_.txn_of(to)))
      txns_.push_back(shown->shown_by);
  }

  bool along_session(Node from, Node to) const {
    if (!p_.keep_sessions || !p_.is_event(from) || !p_.is_event(to)) return false;
    const Txn a = p_.txn_of(from), b = p_.txn_of(to);
    return a == b || (index(b) == index(a) + 1 && p_.history.session_of(a) == p_.history.session_of(b));
  }

  const Problem& p_;
  const Forced& forced_;
  std::vector<bool> needed_;
  std::vector<Txn> txns_;
  std::uint32_t search_ = 0;
  std::vector<std::uint32_t> seen_;
  std::vector<Hop> reached_by_;
  std::vector<Node> queue_;
};

}  // namespace

void Forced::add(const Edge& edge) {
  next_out_.push_back(newest_out_[edge.from]);
  newest_out_[edge.from] = static_cast<std::uint32_t>(edges_.size());
  edges_.push_back(edge);
}

std::uint64_t Forced::added_by(Rule rule) const {
  return static_cast<std::uint64_t>(
      std::count_if(edges_.begin(), edges_.end(), [&](const Edge& edge) { return edge.rule == rule; }));
}

std::vector<Txn> Forced::core_of_cycle() const {
  Premises premises(p_, *this);
  for (std::size_t i = 0; i < cycle_.size(); ++i)
    premises.need_hop(cycle_[i], cycle_[(i + 1) % cycle_.size()]);
  return std::move(premises).transactions();
}

std::vector<Txn> Forced::with_premises(std::span<const Txn> core) const {
  Premises premises(p_, *this);
  const auto member = [&](Node u) { return std::binary_search(core.begin(), core.end(), p_.txn_of(u)); };
  for (std::size_t e = 0; e < edges_.size(); ++e) {
    if (member(edges_[e].from) && member(edges_[e].to)) premises.need(e);
  }
  std::vector<Txn> txns = std::move(premises).transactions();
  txns.insert(txns.end(), core.begin(), core.end());
  std::sort(txns.begin(), txns.end());
  txns.erase(std::unique(txns.begin(), txns.end()), txns.end());
  return txns;
}

// The nodes that were left over are those on cycles and behind them. Each has a predecessor that was left over
// too, so walking backwards finds a cycle; searches from its nodes find shorter ones.
void Forced::find_cycle(std::span<const std::uint32_t> missing) {
  const std::uint32_t n = p_.nodes();
  std::vector<Node> parent(n, kNone);
  Node at = kNone;
  for (Node u = 0; u < n; ++u) {
    if (missing[u] == 0) continue;
    at = u;
    for_each_successor(u, kNone, [&](Node v, std::uint32_t) {
      if (missing[v] != 0) parent[v] = u;
    });
  }
  std::vector<std::uint32_t> seen(n, 0);
  for (; seen[at] == 0; at = parent[at]) seen[at] = 1;
  cycle_.clear();
  for (Node u = at; cycle_.empty() || u != at; u = parent[u]) cycle_.push_back(u);
  std::reverse(cycle_.begin(), cycle_.end());

  constexpr std::size_t kMostSearches = 64;
  const std::vector<Node> starts(
      cycle_.begin(), cycle_.begin() + static_cast<std::ptrdiff_t>(std::min(cycle_.size(), kMostSearches)));
  std::uint32_t search = 1;
  for (const Node start : starts) {
    ++search;
    std::vector<Node> queue{start};
    bool closed = false;
    for (std::size_t i = 0; i < queue.size() && !closed; ++i) {
      for_each_successor(queue[i], kNone, [&](Node v, std::uint32_t) {
        if (closed || missing[v] == 0) return;
        if (v == start) {
          closed = true;
          std::vector<Node> cycle;
          for (Node u = queue[i]; u != start; u = parent[u]) cycle.push_back(u);
          cycle.push_back(start);
          std::reverse(cycle.begin(), cycle.end());
          if (cycle.size() < cycle_.size()) cycle_ = std::move(cycle);
        } else if (seen[v] != search) {
          seen[v] = search;
          parent[v] = queue[i];
          queue.push_back(v);
        }
      });
    }
  }
}

}  // namespace assay::check
