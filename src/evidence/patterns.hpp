// The textbook patterns of the named anomalies, matched in one place: classify.cpp asks whether one is there,
// and an explanation says who plays which part in it.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "evidence/examination.hpp"
#include "history/history.hpp"

namespace assay::evidence {

// What some transactions saw of each other.
class Patterns {
 public:
  // Only the members count, as readers and as writers. Sorted. Must outlive this, as the history must.
  Patterns(const History& history, std::span<const Txn> members);

  // Two wrote the same two keys, and lists show them in opposite orders.
  std::optional<Roles> dirty_write() const;
  // Two saw each other's writes.
  std::optional<Roles> circular_information_flow() const;
  // Two read the same version and overwrote it.
  std::optional<Roles> lost_update() const;
  // The reader that missed one write of a transaction saw another, of another key.
  std::optional<Roles> also_saw(const MissedWrite& missed) const;
  // A reader saw two versions of a key.
  std::optional<Roles> non_repeatable_read() const;

 private:
  void add_reads_of(Txn t);
  void add_read(Txn reader, Op op, Key key, Version version);
  bool leaves(Txn t, Version v) const;
  bool writes_key(Txn t, Key k) const;
  const SeenRead* saw(Txn reader, Txn writer) const;
  bool same_source(const SeenRead& a, const SeenRead& b) const;
  bool is_certain(const SeenRead& read) const;

  struct Written {
    Key key;
    Txn txn;
    Op op;
    auto operator<=>(const Written&) const = default;
  };

  const History& h_;
  std::span<const Txn> members_;
  std::vector<Written> written_;  // by the members, sorted
  std::vector<SeenRead> reads_;
};

// Who plays which part in the anomaly that the counterexample is called after.
// REQUIRES: it is one of this history.
Roles roles_of(const History& history, const Counterexample& counterexample);

}  // namespace assay::evidence
