#include "audit/front/php_address.hpp"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/un.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <memory>

#include "system/address.hpp"
#include "system/input_error.hpp"

namespace assay::audit::front {

namespace {

PhpAddress unix_address(std::string_view text, std::string_view path) {
  PhpAddress out;
  auto* const place = reinterpret_cast<sockaddr_un*>(&out.place);
  if (path.empty() || path.size() >= sizeof place->sun_path) {
    throw InputError(std::string(text), "", "the path of a socket has from 1 to 107 bytes");
  }
  place->sun_family = AF_UNIX;
  std::memcpy(place->sun_path, path.data(), path.size());
  out.size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size() + 1);
  out.shown = text;
  return out;
}

// A connection to a port of this machine that nobody listens at may come out of that very port: TCP then
// connects the socket to itself.
bool is_its_own_peer(const system::Descriptor& socket) {
  sockaddr_storage here{}, there{};
  socklen_t here_size = sizeof here, there_size = sizeof there;
  return ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&here), &here_size) == 0 &&
         ::getpeername(socket.get(), reinterpret_cast<sockaddr*>(&there), &there_size) == 0 &&
         here.ss_family != AF_UNIX && here_size == there_size && std::memcmp(&here, &there, here_size) == 0;
}

}  // namespace

PhpAddress php_address_of(std::string_view text) {
  constexpr std::string_view kUnix = "unix:", kTcp = "fastcgi://";
  if (text.substr(0, kUnix.size()) == kUnix) return unix_address(text, text.substr(kUnix.size()));
  if (text.substr(0, kTcp.size()) != kTcp) {
    throw InputError(std::string(text), "", "expected fastcgi://HOST:PORT or unix:PATH");
  }
  const system::Address address = system::address_of(text.substr(kTcp.size()));
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int code = ::getaddrinfo(address.host.c_str(), address.port.c_str(), &hints, &found);
  if (code != 0) throw InputError(std::string(text), "", ::gai_strerror(code));
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owned(found, &::freeaddrinfo);
  PhpAddress out;
  std::memcpy(&out.place, found->ai_addr, found->ai_addrlen);
  out.size = found->ai_addrlen;
  out.shown = text;
  return out;
}

Connected begin_connecting(const PhpAddress& address) {
  Connected out;
  out.socket =
      system::Descriptor(::socket(address.place.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!out.socket) {
    out.error = errno;
    return out;
  }
  if (address.place.ss_family != AF_UNIX) {
    const int on = 1;
    ::setsockopt(out.socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  }
  if (::connect(out.socket.get(), reinterpret_cast<const sockaddr*>(&address.place), address.size) == 0) {
    out.error = connecting_error(out.socket);
    out.state = out.error == 0 ? Connecting::done : Connecting::failed;
  } else if (errno == EINPROGRESS) {
    out.state = Connecting::in_progress;
  } else if (errno == EAGAIN) {  // of a Unix socket only
    out.state = Connecting::busy;
  } else {
    out.error = errno;
  }
  return out;
}

int connecting_error(const system::Descriptor& socket) {
  int error = 0;
  socklen_t size = sizeof error;
  if (::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &size) != 0) return errno;
  if (error == 0 && is_its_own_peer(socket)) return ECONNREFUSED;
  return error;
}

}  // namespace assay::audit::front
