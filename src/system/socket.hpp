// Sockets that do not block and are not inherited by other programs: of TCP, or in the file system.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "system/address.hpp"
#include "system/descriptor.hpp"

namespace assay::system {

// These two throw InputError. A Unix socket that nobody listens at any more is removed and made anew; only its
// owner may connect to it.
Descriptor listen_at(const Address& address);
// Returns when there is a connection.
Descriptor connect_to(const Address& address);
// Returns at once: the first use of the socket waits, or fails. Empty if not even that can be tried.
Descriptor begin_connecting(const Address& address);
// The next connection; empty if none waits.
Descriptor accept_from(const Descriptor& listener);

// The address that a socket is really bound to, with its port in digits. Throws InputError.
Address bound_address(const Descriptor& socket);

// Who is at the other end: the host in digits, or, of a Unix socket, "user N". Empty if that cannot be told.
std::string peer_of(const Descriptor& socket);
// Of a Unix socket: the user that the system says is at the other end. Nothing for others.
std::optional<std::uint32_t> peer_user(const Descriptor& socket);
// The system looks now and then whether the other end is still there, while nothing is said.
void keep_alive(const Descriptor& socket);

// Small messages are not held back for more to come.
void send_at_once(const Descriptor& socket);
// Ends the connection with a reset instead of an orderly end: bytes on their way are lost.
void close_with_reset(Descriptor& socket);
// Waits until the socket is ready for these events of poll(2). False once the time has come.
bool wait_for(const Descriptor& socket, short events, std::chrono::steady_clock::time_point deadline);

// Different ports of 127.0.0.1 on which nobody listens. Somebody else may take one before it is used: whoever
// starts a server on it must be ready to try again. Throws std::runtime_error.
std::vector<std::uint16_t> free_ports(std::size_t count);

}  // namespace assay::system
