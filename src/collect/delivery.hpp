// A recording on its way to a watcher. Blocks are handed over as they are made and sent by a thread of their
// own (sender.hpp), so that a watcher that is away for a while does not keep the recorder from its file; but
// no more than `waiting_bytes` wait, then the recorder does. The recording is one collector with one
// connection: each block is complete in itself (record/cut.hpp), and stays so only if it arrives
// as one.
//
// The collector is named after the first block, which no two recordings share. So whoever has the file can
// send what is missing under the same name, and no other recording can go on in its place.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "collect/sender.hpp"
#include "history/history.hpp"
#include "system/address.hpp"
#include "system/thread_safety.hpp"

namespace assay::collect {

// The name of the collector that sends a recording with this first block.
std::string recording_name(std::string_view first_block);

struct DeliveryOptions {
  std::chrono::milliseconds patience{30'000};  // with a watcher that is away
  std::chrono::milliseconds silence{30'000};   // of one that is connected and takes nothing
  std::function<void(const std::string&)> note = [](const std::string&) {};  // from any thread
  std::size_t waiting_bytes = std::size_t{1} << 24;
  std::optional<Secret> secret = std::nullopt;  // that the watcher knows too
};

class Delivery {
 public:
  // Throws InputError if nobody listens there now.
  explicit Delivery(system::Address watcher, const DeliveryOptions& options = {});
  // As finish().
  ~Delivery();
  Delivery(const Delivery&) = delete;
  Delivery& operator=(const Delivery&) = delete;

  // The next block. With the first one, returns when the watcher has accepted it, and throws InputError if it
  // does not. After a failure, those that follow are only counted.
  void add(History block);
  // The watcher was waited for in vain, or refused; why. From any thread.
  std::optional<std::string> failure() const;

  struct Result {
    std::uint64_t transactions = 0;  // that the watcher has acknowledged
    std::uint64_t undelivered = 0;
    std::optional<std::string> failure;
  };
  // Says that the sessions are over, and returns when all is acknowledged or the watcher was waited for in
  // vain.
  Result finish();

 private:
  void begin(const History& first);
  void run();
  void send(const History& block);
  void settle();

  system::Address watcher_;
  DeliveryOptions options_;
  std::optional<Sender> sender_;  // of the thread, once that runs

  struct Sent {
    std::uint64_t end;  // the fragment after its last one
    std::uint64_t transactions;
  };
  std::deque<Sent> sent_;  // of the thread: not acknowledged yet

  mutable system::Mutex mutex_;
  system::Condition changed_;
  std::deque<History> queue_ GUARDED_BY(mutex_);
  std::size_t queued_bytes_ GUARDED_BY(mutex_) = 0;
  std::uint64_t added_ GUARDED_BY(mutex_) = 0;         // transactions
  std::uint64_t acknowledged_ GUARDED_BY(mutex_) = 0;  // of them
  bool finishing_ GUARDED_BY(mutex_) = false;
  std::optional<std::string> failure_ GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace assay::collect
