// Where PHP listens for FastCGI: "fastcgi://HOST:PORT" or "unix:PATH".
#pragma once

#include <sys/socket.h>

#include <string>
#include <string_view>

#include "system/descriptor.hpp"

namespace assay::audit::front {

struct PhpAddress {
  std::string shown;
  sockaddr_storage place{};
  socklen_t size = 0;
};

// Throws InputError.
PhpAddress php_address_of(std::string_view text);

enum class Connecting {
  done,
  in_progress,  // writable once it is decided
  busy,         // PHP's queue is full; to be tried again
  failed,
};

struct Connected {
  Connecting state = Connecting::failed;
  system::Descriptor socket;
  int error = 0;  // errno, if it failed
};
// Does not wait.
Connected begin_connecting(const PhpAddress& address);
// What became of a connection that was in progress: 0, or an errno.
int connecting_error(const system::Descriptor& socket);

}  // namespace assay::audit::front
