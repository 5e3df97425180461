// What the event loop keeps for one client: its session, and the sockets on both sides of it.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

#include "audit/front/client_session.hpp"
#include "system/descriptor.hpp"

namespace assay::audit::front {

inline constexpr std::chrono::milliseconds kSweep{100};  // how often deadlines are looked at

// What an event is about. Sockets are closed between rounds of events only, so an event never speaks of one
// that is gone.
enum class Side : std::uint64_t { client = 0, php = 1 };
inline constexpr std::uint64_t kListenerTag = 0, kWakeTag = 1;  // no connection has the id 0
inline std::uint64_t tag_of(std::uint64_t connection, Side side) {
  return connection * 2 + static_cast<std::uint64_t>(side);
}

struct Connection {
  using Clock = std::chrono::steady_clock;

  Connection(std::uint64_t id_, const SessionPlace& place, Peer peer)
      : id(id_), host(peer.client_host), session(place, std::move(peer)) {}

  std::uint64_t id;
  std::string host;
  Session session;
  system::Descriptor client, php;
  std::uint32_t client_watched = 0, php_watched = 0;  // the events that are waited for

  enum class Php { none, to_connect, connecting, open };
  Php php_state = Php::none;
  Clock::time_point connect_until{};

  std::uint64_t turn = 0;  // the session's when `until` was set
  Clock::time_point until{};
  std::size_t held = 0;
  bool touched = false, queued = false, shut = false;
};

}  // namespace assay::audit::front
