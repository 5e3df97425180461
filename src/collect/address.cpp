#include "collect/address.hpp"

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>

#include "history/error.hpp"

namespace assay::collect {

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

Descriptor socket_for(const addrinfo& place, int flags) {
  return Descriptor(::socket(place.ai_family, place.ai_socktype | SOCK_CLOEXEC | flags, place.ai_protocol));
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

}  // namespace

std::string shown(const Address& address) {
  const bool v6 = address.host.find(':') != std::string::npos;
  return v6 ? fmt::format("[{}]:{}", address.host, address.port)
            : fmt::format("{}:{}", address.host, address.port);
}

Address address_of(std::string_view text) {
  const auto fail = [&](const char* why) { throw InputError(std::string(text), "", why); };
  Address address;
  const std::size_t colon = text.rfind(':');
  std::string_view port = text;
  if (colon != std::string_view::npos) {
    std::string_view host = text.substr(0, colon);
    port = text.substr(colon + 1);
    if (host.size() >= 2 && host.front() == '[' && host.back() == ']') {
      host = host.substr(1, host.size() - 2);
    } else if (host.find(':') != std::string_view::npos) {
      fail("an IPv6 address stands in brackets: [::1]:7420");
    }
    if (!host.empty()) address.host = host;
  }
  const bool digits = !port.empty() && port.size() <= 5 &&
                      std::all_of(port.begin(), port.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (!digits || std::stoi(std::string(port)) > 65535)
    fail("expected HOST:PORT, with a port from 0 to 65535");
  address.port = port;
  return address;
}

Descriptor listen_at(const Address& address) {
  const AddressList places = resolved(address, AI_PASSIVE);
  int error = 0;
  for (const addrinfo* place = places.get(); place != nullptr; place = place->ai_next) {
    Descriptor socket = socket_for(*place, SOCK_NONBLOCK);
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
  const AddressList places = resolved(address, 0);
  int error = 0;
  for (const addrinfo* place = places.get(); place != nullptr; place = place->ai_next) {
    Descriptor socket = socket_for(*place, SOCK_NONBLOCK);
    error = socket ? trouble_connecting(socket, *place) : errno;
    const int on = 1;
    if (error == 0 && ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) == 0)
      return socket;
    if (error == 0) error = errno;
  }
  throw InputError(shown(address), "", std::string("cannot connect: ") + std::strerror(error));
}

std::string bound_address(const Descriptor& socket) {
  sockaddr_storage place{};
  socklen_t size = sizeof place;
  char host[NI_MAXHOST], port[NI_MAXSERV];
  auto* const any = reinterpret_cast<sockaddr*>(&place);
  if (::getsockname(socket.get(), any, &size) != 0 ||
      ::getnameinfo(any, size, host, sizeof host, port, sizeof port, NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
    throw InputError("socket", "", "its address cannot be told");
  }
  return shown({host, port});
}

}  // namespace assay::collect
