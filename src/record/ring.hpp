// The way from a session to the writer of the history: a ring of bytes with one producer and one consumer and
// no lock. A record may be longer than the ring, it then passes in pieces; so memory is bounded by the ring,
// and a session that is faster than the disk waits for it.
//
// It also tells since when the session has had a transaction open. What one transaction read, another wrote
// that had begun before the first one ended; so a transaction that ended before every open one began can be
// written without leaving out what it read (see Recorder).
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace assay::record {

class Ring {
 public:
  static constexpr std::int64_t kIdle = INT64_MAX;

  // By the session's thread, in turn: opening(), then the clock is read, opened() with what it showed, and
  // closed() when the transaction was pushed. Between the first two the writer must expect any start.
  void opening() { open_since_.store(INT64_MIN); }
  void opened(std::int64_t start) { open_since_.store(start); }
  void closed() { open_since_.store(kIdle); }
  // By the writer's thread, before take().
  std::int64_t open_since() const { return open_since_.load(); }

  // By the session's thread.
  void push(std::string_view bytes) {
    std::size_t tail = tail_.load(std::memory_order_relaxed);
    while (!bytes.empty()) {
      const std::size_t room = kSize - (tail - head_.load(std::memory_order_acquire));
      if (room == 0) {
        std::this_thread::sleep_for(std::chrono::microseconds(100));
        continue;
      }
      const std::size_t piece = std::min({room, bytes.size(), kSize - tail % kSize});
      std::memcpy(ring_.data() + tail % kSize, bytes.data(), piece);
      bytes.remove_prefix(piece);
      tail += piece;
      tail_.store(tail, std::memory_order_release);
    }
  }

  // By the writer's thread: appends all that was pushed to `bytes`.
  void take(std::string& bytes) {
    std::size_t head = head_.load(std::memory_order_relaxed);
    const std::size_t tail = tail_.load(std::memory_order_acquire);
    while (head != tail) {
      const std::size_t piece = std::min(tail - head, kSize - head % kSize);
      bytes.append(ring_.data() + head % kSize, piece);
      head += piece;
    }
    head_.store(head, std::memory_order_release);
  }

 private:
  static constexpr std::size_t kSize = std::size_t{1} << 20;

  std::vector<char> ring_ = std::vector<char>(kSize);
  // Bytes ever pushed and ever taken; each is written by one side only and lies in a cache line of its own.
  alignas(64) std::atomic<std::size_t> tail_ = 0;
  alignas(64) std::atomic<std::size_t> head_ = 0;
  alignas(64) std::atomic<std::int64_t> open_since_ = kIdle;
};

}  // namespace assay::record
