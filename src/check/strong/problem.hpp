// One strong level asked of one history, as a problem about an order of events. A transaction has a begin and
// a commit (at serializable they are one event); the level says between which of them its rules draw edges:
//
//   level               events   so, wr, real time   ww: a then b on a key   rw: r read what b overwrote
//   serializable        1        a -> b              a -> b                  r -> b
//   snapshot isolation  2        C(a) -> B(b)        C(a) -> B(b)            B(r) -> C(b)
//   prefix              2        C(a) -> B(b)        C(a) -> C(b)            B(r) -> C(b)
//
// The history satisfies the level iff version orders can be chosen such that all edges together are acyclic;
// see docs/engine.md for why. What does not depend on choices is `known` here.
#pragma once

#include <cassert>
#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

#include "check/options.hpp"
#include "check/outcome.hpp"
#include "check/reads.hpp"
#include "history/history.hpp"
#include "order/adjacency.hpp"

namespace assay::check {

// An event, or a point in time between events (for the levels with real time).
using order::Node;

using order::Adjacency;

struct StrongLevel {
  Level level;
  bool two_events;       // begin and commit are separate
  bool writers_exclude;  // two writers of a key do not overlap (snapshot isolation)
  bool real_time;
};
// REQUIRES: prefix or stronger.
StrongLevel strong_level(Level level);

// By how much clocks may differ: what was asked for, or what the history's clocks suggest.
std::chrono::nanoseconds clock_drift(const History& history, const Options& options);

// What is asked of which history.
struct Question {
  const History& history;
  const Reads& reads;
  StrongLevel level;
  bool keep_sessions;
  std::chrono::nanoseconds drift;
  std::span<const Precedence> known = {};  // besides what the history shows
};

class Problem : public Question {
 public:
  struct Edge {
    Node from, to;
  };
  // `forced`: further edges between events that are known to hold.
  explicit Problem(const Question& question, std::span<const Edge> forced = {});

  std::uint32_t nodes() const { return nodes_; }
  std::uint32_t event_nodes() const { return reads.transactions() << shift_; }
  Node begin_of(Txn t) const { return index(t) << shift_; }
  Node commit_of(Txn t) const { return (index(t) << shift_) | shift_; }
  Node node_of(const Event& event) const {
    return event.side == Event::Side::begin ? begin_of(event.txn) : commit_of(event.txn);
  }
  bool is_event(Node u) const { return u < event_nodes(); }
  bool is_commit(Node u) const { return (u & shift_) == shift_; }
  bool is_begin(Node u) const { return shift_ == 0 || (u & 1) == 0; }
  // REQUIRES: is_event(u).
  Txn txn_of(Node u) const {
    assert(is_event(u));
    return Txn{u >> shift_};
  }

  // Where the write-write edge a -> b ends.
  Node overwrites(Txn b) const { return level.writers_exclude ? begin_of(b) : commit_of(b); }

  // The order that holds whatever is chosen: session, reads-from (of reads with one possible writer), program
  // order, real time, and the version order that list reads show.
  const Adjacency& after() const { return after_; }
  const Adjacency& before() const { return before_; }

  // Transactions that certainly read a write, each once. Initial writes included.
  std::span<const Txn> readers(Write w) const {
    return {readers_.data() + readers_begin_[index(w)], readers_.data() + readers_begin_[index(w) + 1]};
  }
  // Those of all writes, one write after the other.
  std::span<const Txn> all_readers() const { return readers_; }
  // Reads with several candidates, one per (transaction, candidate set).
  struct AmbiguousRead {
    Txn reader;
    std::uint32_t set;
  };
  std::span<const AmbiguousRead> ambiguous_reads() const { return ambiguous_; }
  // In increasing order. Of reads that were added there may be a single one.
  std::span<const Write> candidates(const AmbiguousRead& read) const {
    if (read.set < reads.ambiguous_sets()) return reads.candidates(read.set);
    const std::size_t added = read.set - reads.ambiguous_sets();
    return {added_.data() + added_begin_[added], added_.data() + added_begin_[added + 1]};
  }
  // One more, that was found to matter. REQUIRES: there is a candidate, and they are in increasing order.
  void add_read(Txn reader, std::span<const Write> candidates);
  bool has_added_reads() const { return added_begin_.size() > 1; }

  std::size_t resident_bytes() const;

 private:
  struct Distinct;
  void collect_readers(const Distinct& distinct);
  Adjacency writers_read(const Distinct& distinct) const;
  void build_known_order(const Adjacency& writers);
  template <class Visit, class Later, class Soon>
  void for_each_known_edge(const Adjacency& writers, Visit edge, Later later, Soon soon) const;
  void place_time_points();

  std::uint32_t shift_;
  std::uint32_t nodes_ = 0;
  Adjacency after_, before_;
  LargeVector<std::uint32_t> readers_begin_;  // two more entries than writes
  LargeVector<Txn> readers_;
  std::vector<AmbiguousRead> ambiguous_;
  std::vector<Write> added_;  // candidates of reads that were added
  std::vector<std::size_t> added_begin_{0};

  // Real time without a quadratic number of edges: a chain of points, one per distinct end of a transaction.
  // A transaction's commit precedes the point of its end; the last point that lies more than the drift before
  // a transaction's start precedes its begin.
  std::vector<Edge> further_edges_;  // of real time, and forced ones
};

}  // namespace assay::check
