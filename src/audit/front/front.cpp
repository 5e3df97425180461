#include "audit/front/front.hpp"

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "audit/front/connection.hpp"
#include "audit/front/http_response.hpp"
#include "system/address.hpp"
#include "system/input_error.hpp"
#include "system/socket.hpp"

namespace assay::audit::front {

namespace {

constexpr std::size_t kReadAtOnce = 65536;
constexpr int kEventsAtOnce = 256;

[[noreturn]] void system_failed(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

FrontOptions checked(FrontOptions options) {
  const Limits& limits = options.limits;
  if (limits.request.body_bytes > wire::kLargestString || limits.response.body_bytes > wire::kLargestString) {
    throw InputError("limits", "",
                     fmt::format("a body has at most {} bytes in a trace", wire::kLargestString));
  }
  if (limits.request.head_bytes > wire::kLargestString / 4 ||
      limits.response.head_bytes > wire::kLargestString / 4) {
    throw InputError("limits", "",
                     fmt::format("a head has at most {} bytes in a trace", wire::kLargestString / 4));
  }
  if (limits.connections == 0 || limits.connections_per_address == 0 || limits.at_php == 0) {
    throw InputError("limits", "", "there must be at least one place");
  }
  if (!std::filesystem::is_directory(options.root)) {
    throw InputError(options.root.string(), "", "this is no folder");
  }
  options.root = std::filesystem::canonical(options.root);
  if (options.root_at_php.empty()) options.root_at_php = options.root.string();
  return options;
}

// Host and port of one end of a connection, in digits.
void tell_end(int (*which)(int, sockaddr*, socklen_t*), int socket, std::string& host, std::string& port) {
  sockaddr_storage place{};
  socklen_t size = sizeof place;
  char host_text[NI_MAXHOST] = "", port_text[NI_MAXSERV] = "";
  auto* const any = reinterpret_cast<sockaddr*>(&place);
  if (which(socket, any, &size) == 0) {
    ::getnameinfo(any, size, host_text, sizeof host_text, port_text, sizeof port_text,
                  NI_NUMERICHOST | NI_NUMERICSERV);
  }
  host = host_text;
  port = port_text;
}

}  // namespace

Front::Front(FrontOptions options)
    : options_(checked(std::move(options))),
      php_(php_address_of(options_.php)),
      scripts_(options_.root, options_.root_at_php),
      trace_(options_.trace, options_.durability),
      listener_(system::listen_at(system::address_of(options_.listen))),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      epoll_(::epoll_create1(EPOLL_CLOEXEC)),
      address_(shown(system::bound_address(listener_))) {
  if (!wake_ || !epoll_) system_failed("cannot wait for sockets");
  for (const auto& [socket, id] :
       {std::pair{listener_.get(), kListenerTag}, std::pair{wake_.get(), kWakeTag}}) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = id;
    if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, socket, &event) != 0)
      system_failed("cannot wait for sockets");
  }
  counts_.trace_bytes = trace_.bytes();
  if (trace_.cut_off() > 0) {
    options_.note(fmt::format("{}: {} bytes of an unfinished frame at the end were cut off",
                              options_.trace.string(), trace_.cut_off()));
  }
}

Front::~Front() = default;

void Front::stop() noexcept {
  const std::uint64_t one = 1;
  // It can fail only where the counter is full, and then the loop is awake.
  [[maybe_unused]] const ssize_t written = ::write(wake_.get(), &one, sizeof one);
}

Counters Front::counters() const {
  Counters out;
  out.connections = counts_.connections;
  out.connections_turned_away = counts_.turned_away;
  out.refused = counts_.refused;
  out.requests = counts_.requests;
  out.complete = counts_.ends[static_cast<std::size_t>(wire::EndReason::complete)];
  out.client_gone = counts_.ends[static_cast<std::size_t>(wire::EndReason::client_gone)];
  out.server_gone = counts_.ends[static_cast<std::size_t>(wire::EndReason::server_gone)];
  out.php_refused = counts_.ends[static_cast<std::size_t>(wire::EndReason::refused)];
  out.given_up = counts_.ends[static_cast<std::size_t>(wire::EndReason::given_up)];
  out.trace_bytes = counts_.trace_bytes;
  return out;
}

void Front::run() {
  now_ = Clock::now();
  while (!stopping_ || !connections_.empty()) {
    wait();
    if (now_ >= next_sweep_) sweep();
    work_off();
  }
}

void Front::wait() {
  epoll_event events[kEventsAtOnce];
  const int timeout = connections_.empty() && listening_ ? -1 : static_cast<int>(kSweep.count());
  const int n = ::epoll_wait(epoll_.get(), events, kEventsAtOnce, timeout);
  if (n < 0 && errno != EINTR) system_failed("cannot wait for sockets");
  now_ = Clock::now();
  for (int i = 0; i < n; ++i) {
    const std::uint64_t tag = events[i].data.u64;
    if (tag == kListenerTag) {
      accept_clients();
    } else if (tag == kWakeTag) {
      begin_stopping();
    } else if (const auto found = connections_.find(tag / 2); found != connections_.end()) {
      Connection& one = *found->second;
      tag == tag_of(one.id, Side::php) ? php_event(one, events[i].events)
                                       : client_event(one, events[i].events);
    }
  }
}

// Events of the listener are wanted or not; what comes meanwhile waits in the kernel's queue.
void Front::listen_again(bool yes) {
  if (!listener_ || yes == listening_) return;
  epoll_event event{};
  event.events = yes ? EPOLLIN : 0U;
  event.data.u64 = kListenerTag;
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, listener_.get(), &event) != 0)
    system_failed("cannot wait for sockets");
  listening_ = yes;
}

void Front::accept_clients() {
  while (listener_) {
    if (connections_.size() >= options_.limits.connections) return listen_again(false);
    system::Descriptor socket(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (socket) {
      admit(std::move(socket));
      continue;
    }
    if (errno == EAGAIN || errno == EWOULDBLOCK) return;
    if (errno == EINTR || errno == ECONNABORTED) continue;
    // No descriptors or no memory: the next sweep tries again.
    options_.note(fmt::format("cannot accept a connection: {}", std::strerror(errno)));
    return listen_again(false);
  }
}

void Front::admit(system::Descriptor socket) {
  Peer peer;
  tell_end(::getpeername, socket.get(), peer.client_host, peer.client_port);
  tell_end(::getsockname, socket.get(), peer.server_host, peer.server_port);
  std::size_t& places = places_[peer.client_host];
  if (places >= options_.limits.connections_per_address) {
    ++counts_.turned_away;
    const std::string answer =
        own_response(503, "too many connections from this address", {false, false, std::time(nullptr)});
    ::send(socket.get(), answer.data(), answer.size(), MSG_NOSIGNAL);
    return;
  }
  ++places;
  ++counts_.connections;
  const int on = 1;
  ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  auto owned =
      std::make_unique<Connection>(next_id_++,
                                   SessionPlace{options_.limits.request, options_.limits.response, scripts_,
                                                trace_, options_.parameters, options_.secure},
                                   std::move(peer));
  Connection& one = *owned;
  one.client = std::move(socket);
  one.until = now_ + options_.limits.time.idle;
  connections_.emplace(one.id, std::move(owned));
  touch(one);
}

void Front::touch(Connection& one) {
  if (std::exchange(one.touched, true)) return;
  touched_.push_back(&one);
}

// Nothing is to be read from or sent to the client any more.
void Front::drop_client(Connection& one) {
  one.session.client_reset();
  one.client.reset();
  one.client_watched = 0;
}

void Front::client_event(Connection& one, std::uint32_t events) {
  touch(one);
  if ((events & (EPOLLERR | EPOLLHUP)) != 0) return drop_client(one);
  if ((events & EPOLLIN) != 0 && one.session.wants_input()) read_client(one);
}

void Front::read_client(Connection& one) {
  char bytes[kReadAtOnce];
  const ssize_t n = ::recv(one.client.get(), bytes, sizeof bytes, 0);
  if (n > 0) {
    one.session.received({bytes, static_cast<std::size_t>(n)});
  } else if (n == 0) {
    one.session.client_ended();
  } else if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) {
    drop_client(one);
  }
  hold(one);
}

void Front::php_event(Connection& one, std::uint32_t events) {
  touch(one);
  if (one.session.phase() != Phase::at_php) return;
  if (one.php_state == Connection::Php::connecting) {
    const int error = connecting_error(one.php);
    if (error != 0)
      return one.session.php_not_connected(fmt::format("{}: {}", php_.shown, std::strerror(error)));
    one.php_state = Connection::Php::open;
  }
  if ((events & (EPOLLIN | EPOLLERR | EPOLLHUP)) != 0) read_php(one);
}

void Front::read_php(Connection& one) {
  char bytes[kReadAtOnce];
  const ssize_t n = ::recv(one.php.get(), bytes, sizeof bytes, 0);
  if (n > 0) {
    one.session.php_received({bytes, static_cast<std::size_t>(n)});
  } else if (n == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)) {
    one.session.php_closed();
  }
  hold(one);
}

// Counts the memory of a connection; the one that passes the limit is the one that is refused.
void Front::hold(Connection& one) {
  const std::size_t before = std::exchange(one.held, one.session.held());
  held_ = held_ - before + one.held;
  if (held_ <= options_.limits.held_bytes || one.held <= before) return;
  if (one.session.phase() == Phase::at_php) {
    one.session.give_up("the collector has no memory left for the response");
  } else if (one.session.phase() <= Phase::queued) {
    one.session.refuse({503, "too much is being sent at once"});
  }
  touch(one);
  const std::size_t after = std::exchange(one.held, one.session.held());
  held_ = held_ - after + one.held;
}

}  // namespace assay::audit::front
