// What one client, and all of them together, may ask of the collector. Whatever is above a limit is refused
// with a status of its own; nothing that a client or PHP sends makes the collector hold more.
#pragma once

#include <chrono>
#include <cstddef>

#include "audit/wire/encoding.hpp"

namespace assay::audit::front {

struct RequestLimits {
  std::size_t line_bytes = 8192;       // the request line; above it 414
  std::size_t head_bytes = 65536;      // request line and header fields; above it 431
  std::size_t fields = 128;            // header fields; above it 431
  std::size_t body_bytes = 32U << 20;  // above it 413; at most wire::kLargestString
};

struct ResponseLimits {
  std::size_t head_bytes = 65536;
  std::size_t body_bytes = 32U << 20;  // at most wire::kLargestString
};

// Each is the whole time of one phase of a connection, not the time between two bytes: a client that sends
// one byte now and then does not keep its place for ever.
struct TimeLimits {
  using Milliseconds = std::chrono::milliseconds;
  Milliseconds idle{30'000};       // between two requests of a connection, and before the first
  Milliseconds head{15'000};       // from the first byte of a request to the end of its header fields
  Milliseconds body{120'000};      // of the request
  Milliseconds queue{30'000};      // until one of the places at PHP is free; then 503, and no record
  Milliseconds connect{5'000};     // until PHP takes the connection
  Milliseconds response{120'000};  // from sending the request to the end of PHP's response; then 504
  Milliseconds answer{300'000};    // for the client to take the response
  Milliseconds linger{2'000};      // for a client that is told no to read that, before the connection is cut
  Milliseconds grace{10'000};      // for what PHP is working on when the collector is told to stop
};

struct Limits {
  RequestLimits request;
  ResponseLimits response;
  TimeLimits time;
  std::size_t connections = 1024;
  std::size_t connections_per_address = 64;
  std::size_t at_php = 64;                        // requests at PHP at the same time; others wait in order
  std::size_t held_bytes = std::size_t{1} << 30;  // requests and responses in memory, all connections
};

}  // namespace assay::audit::front
