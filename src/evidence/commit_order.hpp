// A history under a given commit order: where each transaction stands, who wrote which key, and for each read
// the writers that it can have seen. What axioms.cpp evaluates.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "check/outcome.hpp"
#include "evidence/operations.hpp"
#include "history/history.hpp"

namespace assay::evidence {

class CommitOrder {
 public:
  CommitOrder(const History& history, Operations& operations) : h_(history), operations_(operations) {}

  // What is wrong with the order or with a read in itself; nullopt if the rest can be used.
  // `versions_only`: there is no commit order, each list has an order of its own and a read may see any
  // writer.
  std::optional<std::string> place(std::span<const check::Event> order, bool keep_sessions,
                                   bool versions_only);

  std::span<const Txn> order() const { return order_; }
  bool is_there(Txn t) const { return position_[index(t)] != kNotThere; }
  // Whether `a` is before `b`; the initial transaction is before all others.
  bool before(Txn a, Txn b) const {
    if (a == b || b == kInitialTxn) return false;
    return a == kInitialTxn || position_[index(a)] < position_[index(b)];
  }
  bool writes_key(Txn t, Key k) const;
  std::span<const Key> keys_written(Txn t) const { return slice(keys_written_, keys_begin_, index(t)); }
  // The transactions in the order that write a key, by number, so session by session.
  std::span<const Txn> writers(Key k) const { return slice(writers_, writers_begin_, index(k)); }
  // The last writer of a key before `t` in its session.
  std::optional<Txn> earlier_in_session(Txn t, Key k) const;

  struct Read {
    Key key;
    std::uint32_t first, last;  // possible writers, in possible_writers()
    Op moment;                  // reads of one query are of one moment
  };
  std::span<const Read> reads(Txn t) const { return slice(reads_, reads_begin_, index(t)); }
  Txn possible_writer(std::uint32_t i) const { return possible_[i]; }

  std::string name(Txn t) const;
  std::string name_read(Txn t, Key k) const;

 private:
  static constexpr std::uint32_t kNotThere = 0xFFFFFFFFU;

  template <class T>
  static std::span<const T> slice(const std::vector<T>& all, const std::vector<std::uint32_t>& begin,
                                  std::uint32_t i) {
    return {all.data() + begin[i], all.data() + begin[i + 1]};
  }
  std::optional<std::string> place_transactions(std::span<const check::Event> order, bool keep_sessions);
  void collect_writes();
  void build_lists(bool versions_only);
  std::optional<std::string> answer_reads(bool versions_only);
  bool answer_list(Txn t, const OutsideRead& read, bool versions_only);
  void answer_register(Txn t, const OutsideRead& read, bool versions_only);

  const History& h_;
  Operations& operations_;
  std::vector<Txn> order_;
  std::vector<std::uint32_t> position_;
  std::vector<std::uint32_t> keys_begin_{0};
  std::vector<Key> keys_written_;
  std::vector<std::uint32_t> writers_begin_;
  std::vector<Txn> writers_;
  std::vector<std::uint32_t> version_begin_;  // who wrote a version of a register last in its transaction
  std::vector<Txn> version_writers_;
  // Per list key: its appenders in order, the length after each, and the whole list.
  struct List {
    std::vector<Txn> appenders;
    std::vector<std::size_t> lengths;
    std::vector<Version> elements;
  };
  std::vector<List> lists_;
  std::vector<std::uint32_t> reads_begin_{0};
  std::vector<Read> reads_;
  std::vector<Txn> possible_;
};

}  // namespace assay::evidence
