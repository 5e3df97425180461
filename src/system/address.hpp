// Where somebody listens: "HOST:PORT", "[::1]:PORT", a port alone, which is one of this machine's loopback, or
// "unix:PATH", a socket in the file system.
#pragma once

#include <string>
#include <string_view>

namespace assay::system {

struct Address {
  std::string host = "127.0.0.1";
  std::string port;       // "0": any that is free
  std::string path = {};  // not empty: of a Unix socket, and the others say nothing
};

std::string shown(const Address& address);

// Throws InputError.
Address address_of(std::string_view text);

}  // namespace assay::system
