#include "system/socket.hpp"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <stdexcept>

#include "system/input_error.hpp"

namespace assay::system {

namespace {

using AddressList = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

AddressList resolved(const Address& address, int flags) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags;
  addrinfo* found = nullptr;
  const int code = ::getaddrinfo(address.host.c_str(), address.port.c_str(), &hints, &found);
  if (code != 0) throw InputError(shown(address), "", ::gai_strerror(code));
  return {found, &::freeaddrinfo};
}

Descriptor socket_for(const addrinfo& place) {
  return Descriptor(
      ::socket(place.ai_family, place.ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, place.ai_protocol));
}

// A connection to a port of this machine that nobody listens at may come out of that very port: TCP then
// connects the socket to itself, and whoever wants to listen there finds the port taken.
bool is_its_own_peer(const Descriptor& socket) {
  sockaddr_storage here{}, there{};
  socklen_t here_size = sizeof here, there_size = sizeof there;
  return ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&here), &here_size) == 0 &&
         ::getpeername(socket.get(), reinterpret_cast<sockaddr*>(&there), &there_size) == 0 &&
         here_size == there_size && std::memcmp(&here, &there, here_size) == 0;
}

// 0, or what errno would say. A machine that does not answer at all is waited for a few seconds, not the
// minutes that TCP would.
int trouble_connecting(const Descriptor& socket, const addrinfo& place) {
  constexpr int kMilliseconds = 5000;
  if (::connect(socket.get(), place.ai_addr, place.ai_addrlen) != 0) {
    if (errno != EINPROGRESS && errno != EINTR) return errno;
    pollfd ready{socket.get(), POLLOUT, 0};
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(kMilliseconds);
    while (::poll(&ready, 1, kMilliseconds / 50) == 0 || ready.revents == 0) {
      if (std::chrono::steady_clock::now() > deadline) return ETIMEDOUT;
    }
    int error = 0;
    socklen_t size = sizeof error;
    if (::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &size) != 0) return errno;
    if (error != 0) return error;
  }
  return is_its_own_peer(socket) ? ECONNREFUSED : 0;
}

sockaddr_un unix_place(const Address& address) {
  sockaddr_un place{};
  place.sun_family = AF_UNIX;
  if (address.path.size() >= sizeof place.sun_path) {
    throw InputError(
        shown(address), "",
        "the path of a socket has at most " + std::to_string(sizeof place.sun_path - 1) + " bytes");
  }
  std::memcpy(place.sun_path, address.path.data(), address.path.size());
  return place;
}

// 0, or what errno would say.
int trouble_connecting(const Descriptor& socket, const sockaddr_un& place) {
  if (!socket) return errno;
  return ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&place), sizeof place) == 0 ? 0 : errno;
}

Descriptor unix_socket() {
  return Descriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
}

// The file of a socket outlives who made it. One that nobody listens at is in the way; anything else stays.
void remove_dead_socket(const sockaddr_un& place) {
  struct stat there {};
  if (::lstat(place.sun_path, &there) != 0 || !S_ISSOCK(there.st_mode)) return;
  if (trouble_connecting(unix_socket(), place) == ECONNREFUSED) ::unlink(place.sun_path);
}

Descriptor listen_at_path(const Address& address) {
  const sockaddr_un place = unix_place(address);
  remove_dead_socket(place);
  Descriptor socket = unix_socket();
  // The rights of the file are those of the socket when it is bound: nobody else can come in between.
  if (socket && ::fchmod(socket.get(), S_IRUSR | S_IWUSR) == 0 &&
      ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&place), sizeof place) == 0 &&
      ::listen(socket.get(), 128) == 0) {
    return socket;
  }
  throw InputError(shown(address), "", std::string("cannot listen: ") + std::strerror(errno));
}

}  // namespace

Descriptor listen_at(const Address& address) {
  if (!address.path.empty()) return listen_at_path(address);
  const AddressList places = resolved(address, AI_PASSIVE);
  int error = 0;
  for (const addrinfo* place = places.get(); place != nullptr; place = place->ai_next) {
    Descriptor socket = socket_for(*place);
    const int on = 1;
    if (socket && ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
        ::bind(socket.get(), place->ai_addr, place->ai_addrlen) == 0 && ::listen(socket.get(), 128) == 0) {
      return socket;
    }
    error = errno;
  }
  throw InputError(shown(address), "", std::string("cannot listen: ") + std::strerror(error));
}

Descriptor connect_to(const Address& address) {
  if (!address.path.empty()) {
    Descriptor socket = unix_socket();
    const int trouble = trouble_connecting(socket, unix_place(address));
    if (trouble == 0) return socket;
    throw InputError(shown(address), "", std::string("cannot connect: ") + std::strerror(trouble));
  }
  const AddressList places = resolved(address, 0);
  int error = 0;
  for (const addrinfo* place = places.get(); place != nullptr; place = place->ai_next) {
    Descriptor socket = socket_for(*place);
    error = socket ? trouble_connecting(socket, *place) : errno;
    if (error != 0) continue;
    send_at_once(socket);
    return socket;
  }
  throw InputError(shown(address), "", std::string("cannot connect: ") + std::strerror(error));
}

Descriptor begin_connecting(const Address& address) {
  try {
    const AddressList places = resolved(address, 0);
    Descriptor socket = socket_for(*places);
    if (socket && (::connect(socket.get(), places->ai_addr, places->ai_addrlen) == 0 || errno == EINPROGRESS))
      return socket;
  } catch (const InputError&) {  // there is no such host, now
  }
  return {};
}

Descriptor accept_from(const Descriptor& listener) {
  return Descriptor(::accept4(listener.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
}

Address bound_address(const Descriptor& socket) {
  sockaddr_storage place{};
  socklen_t size = sizeof place;
  char host[NI_MAXHOST], port[NI_MAXSERV];
  auto* const any = reinterpret_cast<sockaddr*>(&place);
  const bool known = ::getsockname(socket.get(), any, &size) == 0;
  if (known && place.ss_family == AF_UNIX)
    return {{}, {}, reinterpret_cast<const sockaddr_un*>(&place)->sun_path};
  if (!known ||
      ::getnameinfo(any, size, host, sizeof host, port, sizeof port, NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
    throw InputError("socket", "", "its address cannot be told");
  }
  return {host, port};
}

std::string peer_of(const Descriptor& socket) {
  if (const auto user = peer_user(socket)) return "user " + std::to_string(*user);
  sockaddr_storage place{};
  socklen_t size = sizeof place;
  char host[NI_MAXHOST];
  auto* const any = reinterpret_cast<sockaddr*>(&place);
  if (::getpeername(socket.get(), any, &size) != 0 ||
      ::getnameinfo(any, size, host, sizeof host, nullptr, 0, NI_NUMERICHOST) != 0) {
    return {};
  }
  return host;
}

std::optional<std::uint32_t> peer_user(const Descriptor& socket) {
  int domain = 0;
  socklen_t size = sizeof domain;
  if (::getsockopt(socket.get(), SOL_SOCKET, SO_DOMAIN, &domain, &size) != 0 || domain != AF_UNIX)
    return std::nullopt;
  ucred peer{};
  size = sizeof peer;
  if (::getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return std::nullopt;
  return peer.uid;
}

void keep_alive(const Descriptor& socket) {
  const int on = 1, seconds = 60;
  ::setsockopt(socket.get(), SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  ::setsockopt(socket.get(), IPPROTO_TCP, TCP_KEEPIDLE, &seconds, sizeof seconds);
}

void send_at_once(const Descriptor& socket) {
  const int on = 1;
  ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

void close_with_reset(Descriptor& socket) {
  const linger none{1, 0};
  ::setsockopt(socket.get(), SOL_SOCKET, SO_LINGER, &none, sizeof none);
  socket.reset();
}

bool wait_for(const Descriptor& socket, short events, std::chrono::steady_clock::time_point deadline) {
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
  pollfd ready{socket.get(), events, 0};
  return left.count() > 0 && ::poll(&ready, 1, static_cast<int>(left.count())) > 0;
}

std::vector<std::uint16_t> free_ports(std::size_t count) {
  std::vector<std::uint16_t> ports;
  std::vector<Descriptor> sockets;  // all open until all are found, so that they differ
  for (std::size_t i = 0; i < count; ++i) {
    const Descriptor& one = sockets.emplace_back(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const general = reinterpret_cast<sockaddr*>(&address);
    if (!one || ::bind(one.get(), general, size) != 0 || ::getsockname(one.get(), general, &size) != 0)
      throw std::runtime_error("cannot find a free port on 127.0.0.1");
    ports.push_back(ntohs(address.sin_port));
  }
  return ports;
}

}  // namespace assay::system
