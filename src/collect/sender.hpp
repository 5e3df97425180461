// The other end of SocketSource: what a recorder uses to send what one session saw to a watcher. Fragments are kept
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

#include "collect/chain.hpp"
#include "collect/frame.hpp"
#include "collect/secret.hpp"
#include "history/history.hpp"
#include "system/address.hpp"
#include "system/descriptor.hpp"

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
  // Known to the watcher too; each proves it to the other. A watcher that asks for one, or does not know it, is
  // refused.
  std::optional<Secret> secret = std::nullopt;
};

class Sender {
 public:
  // Connects. Throws InputError, as all that follows, where the watcher cannot be reached or refuses.
  Sender(system::Address watcher, std::string collector, const SenderOptions& options = {});

  // The number of the fragment that send() takes next. Above 0 at first where an earlier process of this
  // collector sent some: all below it are safe with the watcher.
  std::uint64_t next() const { return next_; }
  std::uint64_t acknowledged() const { return acknowledged_; }
  // Of all fragments below next().
  const std::string& chain() const { return chain_; }
  // Tells the watcher that what it holds under this name is not what this collector sent, so that it does not
  // take it for the truth. Nothing may be sent afterwards.
  void dispute(std::string_view why);

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
  void prove(std::string_view challenge);
  void check_welcome(std::string_view body) const;
  const std::string& chain_before(std::uint64_t sequence) const;
  template <class Done>
  void until(Done done);

  system::Address watcher_;
  std::string collector_;
  SenderOptions options_;
  system::Descriptor socket_;
  FrameReader in_;
  struct Kept {
    std::uint64_t sequence;
    std::string frame;
    std::string chain;  // of all before it
  };
  std::deque<Kept> kept_;  // not acknowledged yet
  std::size_t kept_bytes_ = 0;
  std::size_t sent_ = 0;    // of kept_, how many are sent completely
  std::size_t partly_ = 0;  // bytes of the next one that are sent
  std::uint64_t next_ = 0, acknowledged_ = 0;
  std::uint64_t moved_ = 0;  // grows whenever the watcher takes or acknowledges something
  std::string chain_ = kNoChain;
  std::string challenge_, answer_;  // of this connection
  bool welcomed_ = false, fresh_ = true;
};

}  // namespace assay::collect
