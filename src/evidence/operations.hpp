// One walk over the operations of a transaction that tells apart what it saw of others from what it must have
// seen of itself.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "history/history.hpp"

namespace assay::evidence {

// A read of what others wrote.
struct OutsideRead {
  Op op;
  Op moment;  // the first operation of its query, or itself
  Key key;
  bool is_list;
  Version seen;                   // registers
  std::span<const Version> list;  // lists: the part before the transaction's own appends
  bool after_own;                 // lists: the transaction had appended before
};

class Operations {
 public:
  // REQUIRES: no queries (query_reads.hpp takes them apart).
  explicit Operations(const History& history);

  // Not empty: why a replay of this history proves nothing.
  const std::string& not_understood() const { return not_understood_; }
  bool is_list(Key k) const { return is_list_[index(k)]; }

  // Fills `reads` with the outside reads, in program order; returns a read that contradicts the transaction's
  // own writes, if there is one.
  std::optional<Op> outside_reads(Txn t, std::vector<OutsideRead>& reads);
  // Calls write(key, version) for the last write of each register.
  template <class Write>
  void for_each_final_write(Txn t, Write write) {
    ++walk_;
    const IdRange<Op> ops = h_.operations_of(t);
    for (std::uint32_t i = ops.size(); i-- > 0;) {
      if (!writes(h_.kind(ops[i])) || h_.kind(ops[i]) == OpKind::append) continue;
      const Key k = h_.key(ops[i]);
      if (own_[index(k)].walk == walk_) continue;
      own_[index(k)].walk = walk_;
      write(k, h_.version(ops[i]));
    }
  }

 private:
  struct Own {
    std::uint64_t walk = 0;  // what follows is of this walk
    Version last{};
    std::vector<Version> appended;
  };

  const History& h_;
  std::vector<bool> is_list_;
  std::vector<Own> own_;  // per key
  std::uint64_t walk_ = 0;
  std::string not_understood_;
};

}  // namespace assay::evidence
