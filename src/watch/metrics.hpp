// What a watch is doing, as Prometheus reads it, and the small HTTP server that says it: GET /metrics, one
// request per connection, one at a time, answered from a thread of its own.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <thread>

#include "collect/address.hpp"
#include "level/level.hpp"
#include "watch/watch.hpp"

namespace assay::watch {

std::string metrics(const Status& status, Level level);

class MetricsServer {
 public:
  // `content` is called for each request. Throws InputError if the address cannot be listened at.
  MetricsServer(const collect::Address& address, std::function<std::string()> content);
  ~MetricsServer();
  MetricsServer(const MetricsServer&) = delete;
  MetricsServer& operator=(const MetricsServer&) = delete;
  std::string address() const { return collect::bound_address(listener_); }

 private:
  void run();
  void answer(const collect::Descriptor& client) const;

  collect::Descriptor listener_;
  std::function<std::string()> content_;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

}  // namespace assay::watch
