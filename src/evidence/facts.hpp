// What the raw operations of a history say, whatever the level: who wrote which version, which keys are
// lists, who committed for certain. A few passes over the history; the verifier looks everything up here.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "history/history.hpp"

namespace assay::evidence {

class Facts {
 public:
  // REQUIRES: no queries (query_reads.hpp takes them apart).
  explicit Facts(const History& history);

  // The transactions that did not abort and whose last write of its key is this version; for elements of
  // lists, that appended it.
  std::span<const Txn> writers(Version v) const {
    return {writers_.data() + begin_[index(v)], writers_.data() + begin_[index(v) + 1]};
  }
  // Whoever can have written what a read saw, the initial transaction included.
  std::vector<Txn> possible_writers(Version seen) const;
  bool is_list(Key k) const { return is_list_[index(k)]; }
  // A list whose elements do not tell who appended them.
  bool is_muddled(Key k) const { return muddled_[index(k)]; }
  // Committed for certain: reported as such, or the only possible writer of what a committed one read.
  bool counts(Txn t) const { return counts_[index(t)]; }

  bool writes_key(Txn t, Key k) const;
  // What the reading transaction had itself written to the key before.
  std::vector<Op> own_writes(Op read) const;
  bool is_read(Op op) const { return h_.kind(op) == OpKind::read || h_.kind(op) == OpKind::list_read; }
  Key key(Op op) const { return h_.kind(op) == OpKind::list_read ? h_.list(op).key : h_.key(op); }
  // What a read of a list returned; reading nothing is reading the empty list.
  std::span<const Version> elements(Op op) const {
    return h_.kind(op) == OpKind::list_read ? h_.list(op).elements : std::span<const Version>{};
  }

 private:
  void find_lists();
  template <class Visit>
  void for_each_final_write(Visit visit) const;
  void find_writers();
  void find_who_counts();
  void read_by(Txn reader, Version v);

  const History& h_;
  std::vector<bool> is_list_, muddled_, counts_;
  std::vector<std::uint32_t> begin_;  // per version: where its writers stand
  std::vector<Txn> writers_;
};

}  // namespace assay::evidence
