// A history with every read attributed to one write, as the weak axioms see it: who takes part, who follows
// whom in a session, and who read from whom. Where a read has several candidates there are several such
// histories (attribution.hpp chooses among them); where none has, there is just the one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "check/check.hpp"
#include "check/reads.hpp"
#include "history/history.hpp"
#include "history/huge_pages.hpp"
#include "history/prefetch.hpp"
#include "order/graph.hpp"

namespace assay::check {

// Transactions, writes and keys are plain subscripts in here. kNobody stands for the initial transaction
// where a writer is expected, and for "none" in a chain.
inline constexpr std::uint32_t kNobody = index(kInitialTxn);

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
  bool present(std::uint32_t t) const { return present_.empty() || present_[t]; }

  // Sessions in which so lives; with sessions ignored each transaction is alone in its own.
  std::uint32_t sessions() const { return keep_sessions_ ? history_->sessions() : transactions(); }
  std::uint32_t session_of(std::uint32_t t) const {
    return keep_sessions_ ? index(history_->session_of(Txn{t})) : t;
  }
  bool session_before(std::uint32_t a, std::uint32_t b) const {
    return a < b && session_of(a) == session_of(b);
  }
  // The first transaction of t's session, present or not.
  std::uint32_t session_begin(std::uint32_t t) const {
    return keep_sessions_ ? index(history_->transactions_of(history_->session_of(Txn{t}))[0]) : t;
  }
  // The neighbour of t in its session among those present, or kNobody.
  std::uint32_t next(std::uint32_t t) const { return next_[t]; }
  std::uint32_t previous(std::uint32_t t) const { return previous_[t]; }

  // The reads of t in program order, as a range of read numbers.
  std::uint32_t first_read(std::uint32_t t) const { return read_begin_[t]; }
  std::uint32_t last_read(std::uint32_t t) const { return read_begin_[t + 1]; }
  std::uint32_t reads_count() const { return read_begin_.back(); }
  std::uint32_t source(std::uint32_t read) const { return source_[read]; }  // the writer, or kNobody
  std::uint32_t key(std::uint32_t read) const { return key_[read]; }

  void prefetch_reads(std::uint32_t t) const {
    prefetch(source_.data() + read_begin_[t]);
    prefetch(key_.data() + read_begin_[t]);
  }
  // Whether the read had other candidates.
  bool is_ambiguous(std::uint32_t read) const { return reads_->reads_of(Txn{0}).data()[read].is_ambiguous(); }

  // Whether a read of a transaction came before another one of the same: reads of one query come at once.
  bool is_before(std::uint32_t read, std::uint32_t other) const {
    return moments_.empty() ? read < other : moments_[read] < moments_[other];
  }
  bool has_moments() const { return !moments_.empty(); }

  std::span<const Write> writes_of(std::uint32_t t) const { return reads_->writes_of(Txn{t}); }
  bool writes_key(std::uint32_t t, std::uint32_t key) const;

  // Each transaction's readers, one entry per read.
  std::span<const std::uint32_t> readers(std::uint32_t t) const { return readers_.successors(t); }

  // Session order, reads-from and the version orders of lists: what every level's commit order contains.
  template <class Visit>
  void base_successors(std::uint32_t t, const Visit& visit) const {
    if (next_[t] != kNobody) visit(next_[t]);
    for (const std::uint32_t reader : readers_.successors(t)) visit(reader);
    if (version_orders_.edges() == 0) return;
    for (const std::uint32_t after : version_orders_.successors(t)) visit(after);
  }
  const order::Graph& version_orders() const { return version_orders_; }

  // Session order and reads-from in topological order; shorter than the number of those present iff cyclic.
  // (Version orders are no part of causality.)
  const std::vector<std::uint32_t>& causal_order() const { return causal_order_; }
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
  std::vector<std::uint32_t> next_, previous_;
  std::vector<std::uint32_t> read_begin_;
  LargeVector<std::uint32_t> source_, key_;
  std::vector<std::uint32_t> moments_;  // per read: the operation that its moment begins with; or empty
  order::Graph readers_, version_orders_;
  std::vector<std::uint32_t> causal_order_;
};

}  // namespace assay::check
