// The memory that all PHP processes of a server share: a file in the folder of the reports, mapped into each
// of them. It outlives a restart, so sequence numbers go on, and sessions and cached values are still there.
// What guards it survives the death of a process that holds it (robust mutexes).
#pragma once

#include <pthread.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <string>

namespace assay::php {

// How far the write-ahead log of a database is committed.
struct WalPosition {
  std::uint64_t salt;
  std::uint32_t frames;
};

struct SharedHead {
  static constexpr std::uint64_t kMagic = 0x3252414853594153;  // "SAYSHAR2"
  static constexpr std::size_t kReaders = 64;
  static constexpr std::size_t kBuckets = std::size_t{1} << 16;
  static constexpr std::size_t kSizeClasses = 40;

  std::atomic<std::uint64_t> magic;
  std::uint64_t size;
  std::atomic<std::uint64_t> sequence;   // of operations, over all objects
  std::atomic<std::uint64_t> workers;    // that ever wrote a report here
  std::atomic<std::uint64_t> strangers;  // requests that came without a number
  // What a process is doing that others will see (last_step.hpp).
  struct Step {
    std::atomic<std::uint64_t> worker;  // whose journal it goes into; 0: none is being made
    std::uint64_t used;                 // how long its tail is when the record is in it
  };
  struct TableStep : Step {
    std::uint64_t word, value;  // what to store where
  };
  struct CommitStep : Step {
    WalPosition before;
    char database[1024];
  };
  TableStep table_step;
  CommitStep commit_step;
  pthread_mutex_t commit_step_lock;  // for those who finish it
  // The key-value table (kv_table.hpp); places are counted in bytes from the beginning of the mapping.
  pthread_mutex_t table_lock;
  std::atomic<std::uint64_t> unused;  // where fresh memory begins
  std::array<std::atomic<std::uint64_t>, kSizeClasses> free_lists;
  std::array<std::atomic<std::uint64_t>, kBuckets> buckets;
  // The order of commits (commit_order.hpp).
  std::atomic<std::uint64_t> schemas;
  struct alignas(64) Reader {
    pthread_mutex_t lock;
  };
  std::array<Reader, kReaders> readers;
};

class Shared {
 public:
  Shared() = default;
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;
  ~Shared();

  // Maps the file, making it if it is not there. What is wrong, or nothing.
  std::string open(const std::string& path, std::size_t size);
  SharedHead& head() const { return *head_; }
  const std::string& folder() const { return folder_; }
  char* at(std::uint64_t place) const { return reinterpret_cast<char*>(head_) + place; }
  std::uint64_t next_sequence() const { return head_->sequence.fetch_add(1) + 1; }

 private:
  std::string folder_;
  SharedHead* head_ = nullptr;
  std::size_t size_ = 0;
  int descriptor_ = -1;
};

// Locks a robust mutex. True if whoever held it has died; then a step of his may have to be finished.
bool lock_robust(pthread_mutex_t& mutex);

}  // namespace assay::php
