// A table in shared memory from keys to values with a time of death; what stands behind the functions of APCu
// and PHP's sessions on a recorded server. It drops nothing: when it is full, storing fails.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "common/world.hpp"
#include "record/last_step.hpp"
#include "record/shared.hpp"

namespace assay::php {

class KvTable {
 public:
  explicit KvTable(Shared& shared) : shared_(&shared) {}

  // Holds the table, so that an operation and its sequence number are one step.
  class Hold {
   public:
    explicit Hold(KvTable& table) : lock_(&table.shared_->head().table_lock) {
      if (lock_robust(*lock_)) finish_table_step(*table.shared_);
    }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;
    ~Hold() { pthread_mutex_unlock(lock_); }

   private:
    pthread_mutex_t* lock_;
  };

  // REQUIRES for all that follow: the table is held. `now` and deaths are nanoseconds since 1970; a death of
  // 0 never comes.
  std::optional<StoredValue> find(std::string_view key, std::uint64_t now) const;
  // A change is made ready, which nobody sees, and then applied: one word is stored.
  struct Change {
    std::uint64_t word = 0;  // its place in the shared memory; 0: nothing changes
    std::uint64_t value = 0;
    std::uint64_t freed = 0;  // the entry that nobody needs afterwards
  };
  std::optional<Change> put(std::string_view key, const wire::KvValue& value,
                            std::uint64_t death);                             // nothing if the table is full
  std::optional<Change> set(std::string_view key, std::int64_t value) const;  // nothing if it is no integer
  Change erase(std::string_view key) const;
  Change clear() const;  // all keys of values; not those of sessions
  void apply(const Change& change);

 private:
  struct Entry;
  Entry* entry(std::uint64_t place) const;
  Entry* locate(std::string_view key) const;
  std::uint64_t allocate(std::size_t bytes);
  void release(std::uint64_t place);
  void clear_now();
  std::uint64_t place_of(const void* memory) const;
  std::atomic<std::uint64_t>* link_to(std::string_view key) const;

  Shared* shared_;
};

}  // namespace assay::php
