// The other end of Server: what a recorder uses to send what one session saw to a watcher. Fragments are kept
// until the watcher has acknowledged them, at most `buffer_bytes`: then send() waits, which slows the
// recorder down to what the watcher can take. A lost connection is made again and goes on where the watcher
// was.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>

#include "collect/address.hpp"
#include "collect/frame.hpp"
#include "history/history.hpp"

namespace assay::collect {

struct SenderOptions {
  std::size_t buffer_bytes = std::size_t{1} << 23;
  // How long a watcher that cannot be reached is tried again and again.
  std::chrono::milliseconds patience{30'000};
  // The same for the first connection.
  std::chrono::milliseconds patience_at_start{30'000};
  // How long one that is connected may say and take nothing.
  std::chrono::milliseconds silence{30'000};
  // Told when the waiting begins and ends.
  std::function<void(const std::string&)> note = [](const std::string&) {};
};

class Sender {
 public:
  // Connects. Throws InputError, as all that follows, where the watcher cannot be reached or refuses.
  Sender(Address watcher, std::string collector, const SenderOptions& options = {});

  // The number of the fragment that send() takes next. Above 0 at first where an earlier process of this
  // collector sent some: all below it are safe with the watcher.
  std::uint64_t next() const { return next_; }
  std::uint64_t acknowledged() const { return acknowledged_; }

  // REQUIRES: finish() was not called. A block above kLargestBlock bytes is refused.
  void send(const History& fragment);
  void send_block(std::string_view block);
  // Returns once all is acknowledged.
  void flush();
  // The sessions of this collector are over. Flushes.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;

  void enqueue(Tag tag, std::string_view block);
  void connect();
  std::optional<std::string> trouble_connecting();
  void try_connect();
  void exchange(int timeout_milliseconds);
  void take(const Frame& frame);
  template <class Done>
  void until(Done done);

  Address watcher_;
  std::string collector_;
  SenderOptions options_;
  Descriptor socket_;
  FrameReader in_;
  struct Kept {
    std::uint64_t sequence;
    std::string frame;
  };
  std::deque<Kept> kept_;  // not acknowledged yet
  std::size_t kept_bytes_ = 0;
  std::size_t sent_ = 0;    // of kept_, how many are sent completely
  std::size_t partly_ = 0;  // bytes of the next one that are sent
  std::uint64_t next_ = 0, acknowledged_ = 0;
  std::uint64_t moved_ = 0;  // grows whenever the watcher takes or acknowledges something
  bool welcomed_ = false, fresh_ = true;
};

}  // namespace assay::collect
