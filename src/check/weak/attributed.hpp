// A history with every read attributed to one write, as the weak axioms see it: who takes part, who follows
// whom in a session, and who read from whom. Where a read has several candidates there are several such
// histories (attribution.hpp chooses among them); where none has, there is just the one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "check/options.hpp"
#include "check/reads.hpp"
#include "history/history.hpp"
#include "memory/huge_pages.hpp"
#include "memory/prefetch.hpp"
#include "order/graph.hpp"

namespace assay::check {

// The initial transaction where a writer is expected, and "none" where a neighbour is.
inline constexpr Txn kNobody = kInitialTxn;

// The nodes of a graph of transactions, as transactions.
class TxnNodes {
 public:
  class iterator {
   public:
    explicit iterator(const std::uint32_t* at) : at_(at) {}
    Txn operator*() const { return Txn{*at_}; }
    iterator& operator++() {
      ++at_;
      return *this;
    }
    bool operator==(const iterator&) const = default;

   private:
    const std::uint32_t* at_;
  };

  explicit TxnNodes(std::span<const std::uint32_t> nodes) : nodes_(nodes) {}
  iterator begin() const { return iterator(nodes_.data()); }
  iterator end() const { return iterator(nodes_.data() + nodes_.size()); }
  std::size_t size() const { return nodes_.size(); }

 private:
  std::span<const std::uint32_t> nodes_;
};

class AttributedHistory {
 public:
  // `choice` gives for each ambiguous read, in order of transactions and program order, which of its
  // candidates it saw. REQUIRES: as many choices as ambiguous reads.
  AttributedHistory(const History& history, const Reads& reads, SessionOrder sessions,
                    std::span<const std::uint32_t> choice);

  const History& history() const { return *history_; }
  const Reads& reads() const { return *reads_; }
  std::uint32_t transactions() const { return reads_->transactions(); }
  std::uint32_t keys() const { return reads_->keys(); }
  IdRange<Txn> all_transactions() const { return {0, transactions()}; }
  bool present(Txn t) const { return present_.empty() || present_[index(t)]; }

  // Sessions in which so lives; with sessions ignored each transaction is alone in its own.
  std::uint32_t sessions() const { return keep_sessions_ ? history_->sessions() : transactions(); }
  std::uint32_t session_of(Txn t) const { return keep_sessions_ ? index(history_->session_of(t)) : index(t); }
  bool session_before(Txn a, Txn b) const { return a < b && session_of(a) == session_of(b); }
  // The first transaction of t's session, present or not.
  Txn session_begin(Txn t) const {
    return keep_sessions_ ? history_->transactions_of(history_->session_of(t))[0] : t;
  }
  // The neighbour of t in its session among those present, or kNobody.
  Txn next(Txn t) const { return next_[index(t)]; }
  Txn previous(Txn t) const { return previous_[index(t)]; }

  // The reads of t in program order, as a range of read numbers.
  std::uint32_t first_read(Txn t) const { return read_begin_[index(t)]; }
  std::uint32_t last_read(Txn t) const { return read_begin_[index(t) + std::size_t{1}]; }
  std::uint32_t reads_count() const { return read_begin_.back(); }
  Txn source(std::uint32_t read) const { return source_[read]; }  // the writer, or kNobody
  Key key(std::uint32_t read) const { return key_[read]; }

  void prefetch_reads(Txn t) const {
    prefetch(source_.data() + first_read(t));
    prefetch(key_.data() + first_read(t));
  }
  // Whether the read had other candidates.
  bool is_ambiguous(std::uint32_t read) const { return reads_->reads_of(Txn{0}).data()[read].is_ambiguous(); }

  // Whether a read of a transaction came before another one of the same: reads of one query come at once.
  bool is_before(std::uint32_t read, std::uint32_t other) const {
    return moments_.empty() ? read < other : moments_[read] < moments_[other];
  }
  bool has_moments() const { return !moments_.empty(); }

  std::span<const Write> writes_of(Txn t) const { return reads_->writes_of(t); }
  bool writes_key(Txn t, Key key) const;

  // Each transaction's readers, one entry per read.
  TxnNodes readers(Txn t) const { return TxnNodes(readers_.successors(index(t))); }

  // Session order, reads-from and the version orders of lists: what every level's commit order contains.
  // For walks over graphs, whose nodes are the transactions' numbers.
  template <class Visit>
  void base_successors(std::uint32_t node, const Visit& visit) const {
    if (next_[node] != kNobody) visit(index(next_[node]));
    for (const std::uint32_t reader : readers_.successors(node)) visit(reader);
    if (version_orders_.edges() == 0) return;
    for (const std::uint32_t after : version_orders_.successors(node)) visit(after);
  }
  const order::Graph& version_orders() const { return version_orders_; }

  // Session order and reads-from in topological order; shorter than the number of those present iff cyclic.
  // (Version orders are no part of causality.)
  const std::vector<Txn>& causal_order() const { return causal_order_; }
  std::uint32_t present_count() const { return present_count_; }

 private:
  void attribute(std::span<const std::uint32_t> choice);
  void link_sessions();
  void link_readers();
  void find_moments();

  const History* history_;
  const Reads* reads_;
  bool keep_sessions_;
  std::uint32_t present_count_ = 0;
  std::vector<std::uint8_t> present_;  // empty: all
  std::vector<Txn> next_, previous_;
  std::vector<std::uint32_t> read_begin_;
  LargeVector<Txn> source_;  // per read
  LargeVector<Key> key_;
  std::vector<std::uint32_t> moments_;  // per read: the operation that its moment begins with; or empty
  order::Graph readers_, version_orders_;
  std::vector<Txn> causal_order_;
};

}  // namespace assay::check
