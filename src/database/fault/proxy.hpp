// A network that can be told to misbehave: listens on a port of the loopback interface and passes every byte
// on to a server, unless it is told to cut connections, to slow them down, or to hold everything back.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

#include "database/url.hpp"
#include "system/descriptor.hpp"

namespace assay::database {

class Proxy {
 public:
  // Passes on to `server`, which need not be there yet. Throws std::runtime_error.
  explicit Proxy(Endpoint server);
  ~Proxy();
  Proxy(const Proxy&) = delete;
  Proxy& operator=(const Proxy&) = delete;

  Endpoint endpoint() const { return {"127.0.0.1", port_}; }

  // Cuts every connection, as a router does that forgot it: both sides get a reset, bytes in flight are lost.
  void reset_all();
  // Every byte is passed on that much later than it came. 0: at once.
  void set_delay(std::chrono::milliseconds delay);
  // While it stalls nothing is passed on, and nothing is lost.
  void set_stalled(bool stalled);

 private:
  class Relay;

  void wake() const;

  Endpoint server_;
  std::uint16_t port_ = 0;
  system::Descriptor listener_;
  system::Descriptor wake_;  // an eventfd: something below has changed
  std::atomic<bool> stop_{false};
  std::atomic<std::uint32_t> resets_{0};
  std::atomic<std::int64_t> delay_ms_{0};
  std::atomic<bool> stalled_{false};
  std::thread thread_;
};

}  // namespace assay::database
