// What follows by force, found near by: the rules of saturation (saturate.hpp), applied along an order of events to writers and
// readers that stand near each other in it. Reachability is known within a window of the order (order/reach_window.hpp), so the
// time is linear in the history and the memory a constant, where the clocks of saturation take a row of all chains
// for each event. What follows can contradict the order; then it is sorted again, and the next round looks at it.
//
// Without session order and with many blind writes little is known, and most of what a search would have to find out, by moving
// events one at a time, follows by force. Everything found does follow; but what only shows at a distance is not found.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "check/limits.hpp"
#include "check/strong/forced.hpp"
#include "check/strong/problem.hpp"
#include "order/adjacency.hpp"
#include "order/reach_window.hpp"

namespace assay::check {

struct SettlingOptions {
  std::uint32_t window = 0;       // in events; 0: as suits the size of the history
  std::uint32_t neighbours = 64;  // at most as many writers and readers of a key are compared with one write
  std::uint32_t rounds = 0xFFFFFFFFU;
  bool to_the_end = false;  // else it ends when a round changes next to nothing
};

class Settling : public Forced {
 public:
  Settling(const Problem& problem, const SettlingOptions& options, Limits& limits);

  enum class Result : std::uint8_t { settled, cycle, gave_up };
  Result run();

  // The order of the last round: consistent with the known order and all edges, and near to what it should be. Empty unless run()
  // returned settled.
  std::span<const Node> order() const { return order_; }
  // Edges that imply all edges and the known order. REQUIRES: run() returned settled.
  std::vector<Problem::Edge> essential_edges() const;

 private:
  struct KeyRead {
    Txn reader;
    Write source;
  };

  bool sort_events();
  void estimate_times();
  void sort_keys();
  void sweep();
  void join_successors(Node u);
  void settle_commit(Node u);
  void settle_overwritten(Node u, Write v);
  void settle_followers(Node u, Write w);
  void settle_initial_reads(Node u);
  void force(Node from, Node to, Rule rule, Key key, Txn witness);
  bool precedes(Node u, Node v) const { return reach_.reaches(position_[u], position_[v]); }
  // Whether v stands so far behind u that the window does not tell whether it is reached.
  bool far_behind(Node u, Node v) const {
    return position_[v] > position_[u] && !reach_.sees(position_[u], position_[v]);
  }
  void link_fresh_edges();

  const Reads& reads_;
  const SettlingOptions options_;
  Limits& limits_;
  order::ReachWindow reach_;

  order::Adjacency after_;               // what the order has to keep; edges that others imply are dropped
  std::vector<Problem::Edge> fresh_;     // of this round
  std::uint64_t against_the_order_ = 0;  // of these
  std::vector<Node> order_;
  std::vector<std::uint32_t> position_;
  std::vector<float>
      time_;  // an estimate: how much has to come before a node, as a share of that and what has to follow

  // Each key's writes by commit and its known reads by begin, in the order of this round.
  std::vector<Write> key_writes_;
  std::vector<KeyRead> key_reads_;
  std::vector<std::uint32_t> writes_begin_, reads_begin_;  // per key
};

}  // namespace assay::check
