// What the collector does after each round of events: requests whose turn it is go to PHP, what was recorded
// is made safe, and only then do bytes leave. And the clock: what takes too long, and the way to stop.
#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "audit/front/connection.hpp"
#include "audit/front/front.hpp"

namespace assay::audit::front {

// Flushing a response may make room for the next request, so this goes on until nothing is left to do.
void Front::work_off() {
  while (true) {
    for (Connection* const one : touched_) {
      if (one->session.phase() == Phase::queued && !std::exchange(one->queued, true)) {
        queue_.push_back(one->id);
      }
    }
    send_queued();
    if (touched_.empty()) return;
    trace_.commit();
    counts_.trace_bytes = trace_.bytes();
    for (Connection* const one : std::exchange(touched_, {})) {
      one->touched = false;
      tell(*one);
      flush_php(*one);
      flush_client(*one);
      review(*one);
    }
  }
}

void Front::send_queued() {
  while (at_php_ < options_.limits.at_php && !queue_.empty()) {
    const auto found = connections_.find(queue_.front());
    queue_.pop_front();
    if (found == connections_.end()) continue;
    Connection& one = *found->second;
    one.queued = false;
    if (one.session.phase() != Phase::queued) continue;
    one.session.send_to_php();
    ++counts_.requests;
    ++at_php_;
    one.php_state = Connection::Php::to_connect;
    one.connect_until = now_ + options_.limits.time.connect;
    touch(one);
    connect_php(one);
  }
}

void Front::connect_php(Connection& one) {
  Connected connected = begin_connecting(php_);
  if (connected.state == Connecting::busy) return;  // the sweep comes back to it
  if (connected.state == Connecting::failed) {
    return one.session.php_not_connected(fmt::format("{}: {}", php_.shown, std::strerror(connected.error)));
  }
  one.php = std::move(connected.socket);
  one.php_state = connected.state == Connecting::done ? Connection::Php::open : Connection::Php::connecting;
}

void Front::flush_php(Connection& one) {
  while (one.php_state == Connection::Php::open && one.session.phase() == Phase::at_php) {
    const std::string_view bytes = one.session.php_output();
    if (bytes.empty()) return;
    const ssize_t n = ::send(one.php.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n >= 0) {
      one.session.php_sent(static_cast<std::size_t>(n));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      return;
    } else if (errno != EINTR) {
      // PHP may have answered before it closed its end; what it said is read first.
      one.session.php_takes_no_more();
    }
  }
}

void Front::flush_client(Connection& one) {
  while (one.client && !one.session.output().empty()) {
    const std::string_view bytes = one.session.output();
    const ssize_t n = ::send(one.client.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n >= 0) {
      const std::uint64_t turn = one.session.turn();
      one.session.sent(static_cast<std::size_t>(n));
      // The next request of this connection may be answered already: that is for the next round.
      if (one.session.turn() != turn) return touch(one);
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      return;
    } else if (errno != EINTR) {
      drop_client(one);
    }
  }
}

// Brings the sockets in line with the session.
void Front::review(Connection& one) {
  if (stopping_ && one.session.phase() <= Phase::body) one.session.client_reset();
  const Phase phase = one.session.phase();
  if (phase != Phase::at_php && one.php_state != Connection::Php::none) {
    one.php.reset();
    one.php_watched = 0;
    one.php_state = Connection::Php::none;
    --at_php_;
    touch(one);  // a place is free
  }
  if (phase == Phase::over && !one.touched) return remove(one);
  if (phase == Phase::closing && one.client && !std::exchange(one.shut, true)) {
    ::shutdown(one.client.get(), SHUT_WR);
  }
  if (one.turn != one.session.turn()) {
    one.turn = one.session.turn();
    one.until = now_ + time_for(phase);
  }
  hold(one);
  if (one.client) {
    const std::uint32_t wanted =
        (one.session.wants_input() ? EPOLLIN : 0U) | (one.session.output().empty() ? 0U : EPOLLOUT);
    watch(one.client, tag_of(one.id, Side::client), wanted, one.client_watched);
  }
  if (one.php_state == Connection::Php::connecting) {
    watch(one.php, tag_of(one.id, Side::php), EPOLLOUT, one.php_watched);
  } else if (one.php_state == Connection::Php::open) {
    watch(one.php, tag_of(one.id, Side::php), EPOLLIN | (one.session.php_output().empty() ? 0U : EPOLLOUT),
          one.php_watched);
  }
}

void Front::watch(const system::Descriptor& socket, std::uint64_t tag, std::uint32_t events,
                  std::uint32_t& watched) {
  // A socket whose bytes are not wanted is still watched for its end; this bit says that it is known.
  constexpr std::uint32_t kKnown = EPOLLERR;
  if (watched == (events | kKnown)) return;
  epoll_event event{};
  event.events = events;
  event.data.u64 = tag;
  if (::epoll_ctl(epoll_.get(), watched == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, socket.get(), &event) != 0) {
    throw std::system_error(errno, std::generic_category(), "cannot wait for sockets");
  }
  watched = events | kKnown;
}

void Front::tell(Connection& one) {
  if (one.session.take_refused()) ++counts_.refused;
  const std::optional<Session::Ended> ended = one.session.take_ended();
  if (!ended) return;
  ++counts_.ends[static_cast<std::size_t>(ended->end)];
  if (!ended->why.empty()) options_.note(fmt::format("request {}: {}", ended->rid, ended->why));
  if (!ended->complaints.empty())
    options_.note(fmt::format("request {}: PHP: {}", ended->rid, ended->complaints));
}

void Front::remove(Connection& one) {
  held_ -= one.held;
  const auto place = places_.find(one.host);
  if (--place->second == 0) places_.erase(place);
  connections_.erase(one.id);
  if (connections_.size() < options_.limits.connections) listen_again(true);
}

Front::Clock::duration Front::time_for(Phase phase) const {
  const TimeLimits& time = options_.limits.time;
  switch (phase) {
    case Phase::idle:
      return time.idle;
    case Phase::head:
      return time.head;
    case Phase::body:
      return time.body;
    case Phase::queued:
      return time.queue;
    case Phase::at_php:
      return time.response;
    case Phase::answering:
      return time.answer;
    case Phase::closing:
    case Phase::over:
      return time.linger;
  }
  return time.linger;
}

void Front::sweep() {
  next_sweep_ = now_ + kSweep;
  listen_again(connections_.size() < options_.limits.connections);
  const bool late = stopping_ && now_ >= grace_ends_;
  for (const auto& [key, owned] : connections_) {
    Connection& one = *owned;
    const bool connecting =
        one.php_state == Connection::Php::to_connect || one.php_state == Connection::Php::connecting;
    if (connecting && one.session.phase() == Phase::at_php && now_ >= one.connect_until) {
      one.session.php_not_connected(fmt::format("{}: it takes no connection", php_.shown));
      touch(one);
    } else if (late || now_ >= one.until) {
      expire(one);
    } else if (one.php_state == Connection::Php::to_connect) {
      touch(one);
      connect_php(one);
    }
  }
}

void Front::expire(Connection& one) {
  touch(one);
  switch (one.session.phase()) {
    case Phase::head:
    case Phase::body:
      return one.session.refuse({408, "the request did not come in time"});
    case Phase::queued:
      return one.session.refuse({503, "the application is busy"});
    case Phase::at_php:
      return one.session.give_up("the collector waits no longer for PHP's response");
    case Phase::idle:
    case Phase::answering:
    case Phase::closing:
    case Phase::over:
      return one.session.client_reset();
  }
}

void Front::begin_stopping() {
  std::uint64_t ignored = 0;
  [[maybe_unused]] const ssize_t n = ::read(wake_.get(), &ignored, sizeof ignored);
  if (std::exchange(stopping_, true)) return;
  grace_ends_ = now_ + options_.limits.time.grace;
  listener_.reset();
  for (const auto& [key, owned] : connections_) {
    Connection& one = *owned;
    if (one.session.phase() == Phase::queued) one.session.refuse({503, "the service is being stopped"});
    touch(one);  // those between requests are closed with the next review
  }
}

}  // namespace assay::audit::front
