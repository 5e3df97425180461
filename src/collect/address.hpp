// Where a watcher listens: "HOST:PORT", "[::1]:PORT", or a port alone, which is one of this machine's
// loopback.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "collect/descriptor.hpp"

namespace assay::collect {

struct Address {
  std::string host = "127.0.0.1";
  std::string port;  // "0": any that is free
};

std::string shown(const Address& address);

// All of these throw InputError.
Address address_of(std::string_view text);
// A listening socket that does not block.
Descriptor listen_at(const Address& address);
// A connected socket that does not block.
Descriptor connect_to(const Address& address);

// The address that a socket is really bound to, with its port in digits.
std::string bound_address(const Descriptor& socket);

}  // namespace assay::collect
