// A lock that many read and few write: readers of a database hold a slot of their own while they take their
// snapshot and their sequence number, a commit takes all slots. So a number given to a read lies on the same
// side of a number given to a commit as the snapshot on that of the commit.
//
// Commits that may change a schema are counted under the same lock: who holds a slot and finds the count that
// it knows, knows the schema.
//
// Slots instead of a read-write lock of the system, because those stay locked when their holder is killed.
#pragma once

#include "record/last_step.hpp"
#include "record/shared.hpp"

namespace assay::php {

class CommitOrder {
 public:
  CommitOrder(Shared& shared, std::size_t worker)
      : shared_(&shared), head_(&shared.head()), slot_(worker % SharedHead::kReaders) {}

  void begin_read() {
    if (lock_robust(head_->readers[slot_].lock)) finish_commit_step(*shared_);
  }
  void end_read() { pthread_mutex_unlock(&head_->readers[slot_].lock); }
  void begin_commit() {
    bool somebody_died = false;
    for (SharedHead::Reader& reader : head_->readers) somebody_died |= lock_robust(reader.lock);
    if (somebody_died) finish_commit_step(*shared_);
  }
  void end_commit() {
    for (SharedHead::Reader& reader : head_->readers) pthread_mutex_unlock(&reader.lock);
  }

  // REQUIRES: all slots.
  SharedHead::CommitStep& commit_step() { return head_->commit_step; }
  // REQUIRES: the slot, or all of them.
  std::uint64_t schemas() const { return head_->schemas.load(); }
  // REQUIRES: all slots.
  void schema_changes() { head_->schemas.fetch_add(1); }

 private:
  Shared* shared_;
  SharedHead* head_;
  std::size_t slot_;
};

}  // namespace assay::php
