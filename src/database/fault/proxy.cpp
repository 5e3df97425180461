#include "database/fault/proxy.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <deque>
#include <list>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "system/socket.hpp"

namespace assay::database {

namespace {

using Clock = std::chrono::steady_clock;
using system::Descriptor;

// Bytes on their way in one direction, each piece with the time at which it may arrive.
class Pipe {
 public:
  static constexpr std::size_t kMost = 1 << 20;  // then the sender has to wait

  bool has_room() const { return size_ < kMost; }
  bool empty() const { return pieces_.empty(); }
  Clock::time_point due() const { return pieces_.front().due; }

  // False if the sender is gone. REQUIRES: there is something to read.
  bool read_from(int file, Clock::time_point due) {
    std::array<char, 65536> buffer;
    const ssize_t got = recv(file, buffer.data(), buffer.size(), 0);
    if (got < 0) return errno == EAGAIN || errno == EINTR;
    if (got == 0) {
      ended_ = true;
      return true;
    }
    pieces_.push_back({due, std::string(buffer.data(), static_cast<std::size_t>(got)), 0});
    size_ += static_cast<std::size_t>(got);
    return true;
  }

  // Writes what is due and fits. False if the receiver is gone.
  bool write_to(int file, Clock::time_point now) {
    while (!pieces_.empty() && pieces_.front().due <= now) {
      Piece& piece = pieces_.front();
      const ssize_t sent =
          send(file, piece.bytes.data() + piece.sent, piece.bytes.size() - piece.sent, MSG_NOSIGNAL);
      if (sent < 0) return errno == EAGAIN || errno == EINTR;
      piece.sent += static_cast<std::size_t>(sent);
      size_ -= static_cast<std::size_t>(sent);
      if (piece.sent == piece.bytes.size()) pieces_.pop_front();
    }
    if (ended_ && pieces_.empty() && !told_end_) {
      shutdown(file, SHUT_WR);
      told_end_ = true;
    }
    return true;
  }

  bool ended() const { return ended_; }
  bool told_end() const { return told_end_; }

 private:
  struct Piece {
    Clock::time_point due;
    std::string bytes;
    std::size_t sent;
  };
  std::deque<Piece> pieces_;
  std::size_t size_ = 0;
  bool ended_ = false;
  bool told_end_ = false;
};

struct Pair {
  Descriptor client, server;
  Pipe to_server, to_client;
};

}  // namespace

// What the proxy's thread does.
class Proxy::Relay {
 public:
  explicit Relay(Proxy& proxy) : proxy_(proxy) {}

  void run() {
    while (!proxy_.stop_) {
      wait();
      const std::uint32_t resets = proxy_.resets_;
      if (resets != seen_resets_) {
        seen_resets_ = resets;
        for (Pair& pair : pairs_) cut(pair);
        pairs_.clear();
        polled_.resize(2);
      }
      if ((polled_[1].revents & POLLIN) != 0) accept_one();
      pass_on();
    }
  }

 private:
  static void cut(Pair& pair) {
    system::close_with_reset(pair.client);
    system::close_with_reset(pair.server);
  }

  // Polls the eventfd, the listener, and two sockets per pair, in the order of pairs_.
  void wait() {
    const bool stalled = proxy_.stalled_;
    const auto now = Clock::now();
    auto until = Clock::time_point::max();
    polled_.clear();
    polled_.push_back({proxy_.wake_.get(), POLLIN, 0});
    polled_.push_back({proxy_.listener_.get(), static_cast<short>(stalled ? 0 : POLLIN), 0});
    const auto events = [&](const Pipe& from, const Pipe& to) {
      short wanted = 0;
      if (stalled) return wanted;
      if (!from.ended() && from.has_room()) wanted |= POLLIN;
      if (!to.empty() && to.due() <= now) wanted |= POLLOUT;
      if (!to.empty()) until = std::min(until, to.due());
      return wanted;
    };
    // A socket of which nothing is wanted is left out: an end that was seen would be reported again and
    // again.
    const auto add = [&](const Descriptor& socket, short wanted) {
      polled_.push_back({wanted != 0 ? socket.get() : -1, wanted, 0});
    };
    for (const Pair& pair : pairs_) {
      add(pair.client, events(pair.to_server, pair.to_client));
      add(pair.server, events(pair.to_client, pair.to_server));
    }
    // A socket that cannot be written yet is polled for it; what is due later wakes us by time.
    int limit = -1;
    if (until != Clock::time_point::max() && until > now) {
      limit = static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(until - now).count());
    }
    poll(polled_.data(), polled_.size(), limit);
    if ((polled_[0].revents & POLLIN) != 0) {
      std::uint64_t count = 0;
      if (read(proxy_.wake_.get(), &count, sizeof count) < 0) return;  // nobody has written after all
    }
  }

  void accept_one() {
    Descriptor client = system::accept_from(proxy_.listener_);
    if (!client) return;
    // Does not wait: the first write will, or will fail.
    Descriptor server = system::begin_connecting({proxy_.server_.host, std::to_string(proxy_.server_.port)});
    if (!server) {
      system::close_with_reset(client);
      return;
    }
    system::send_at_once(client);
    system::send_at_once(server);
    pairs_.push_back({std::move(client), std::move(server), {}, {}});
  }

  void pass_on() {
    if (proxy_.stalled_) return;
    const auto now = Clock::now();
    const auto due = now + std::chrono::milliseconds(proxy_.delay_ms_);
    std::size_t at = 2;
    for (auto pair = pairs_.begin(); pair != pairs_.end(); at += 2) {
      // A pair that was accepted or reset since the poll has no events yet.
      const short client = at < polled_.size() ? polled_[at].revents : short{0};
      const short server = at + 1 < polled_.size() ? polled_[at + 1].revents : short{0};
      bool alive = true;
      if ((client & (POLLIN | POLLHUP | POLLERR)) != 0 && !pair->to_server.ended()) {
        alive = pair->to_server.read_from(pair->client.get(), due);
      }
      if (alive && (server & (POLLIN | POLLHUP | POLLERR)) != 0 && !pair->to_client.ended()) {
        alive = pair->to_client.read_from(pair->server.get(), due);
      }
      alive = alive && pair->to_server.write_to(pair->server.get(), now) &&
              pair->to_client.write_to(pair->client.get(), now);
      // A server that refused the connection shows as an error while nothing has come from it.
      if (alive && (((server | client) & POLLERR) != 0)) alive = false;
      if (!alive) cut(*pair);
      const bool over = pair->to_server.told_end() && pair->to_client.told_end();
      pair = alive && !over ? std::next(pair) : pairs_.erase(pair);
    }
  }

  Proxy& proxy_;
  std::uint32_t seen_resets_ = 0;
  std::list<Pair> pairs_;
  std::vector<pollfd> polled_;
};

Proxy::Proxy(Endpoint server)
    : server_(std::move(server)),
      listener_(system::listen_at({"127.0.0.1", "0"})),
      wake_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  if (!wake_) throw std::runtime_error("the system gives no eventfd");
  port_ = static_cast<std::uint16_t>(std::stoi(system::bound_address(listener_).port));
  thread_ = std::thread([this] { Relay(*this).run(); });
}

Proxy::~Proxy() {
  stop_ = true;
  wake();
  thread_.join();
}

void Proxy::wake() const {
  const std::uint64_t one = 1;
  // A full counter, the only failure, wakes as well.
  [[maybe_unused]] const ssize_t written = write(wake_.get(), &one, sizeof one);
}

void Proxy::reset_all() {
  ++resets_;
  wake();
}

void Proxy::set_delay(std::chrono::milliseconds delay) {
  delay_ms_ = delay.count();
  wake();
}

void Proxy::set_stalled(bool stalled) {
  stalled_ = stalled;
  wake();
}

}  // namespace assay::database
