// What a watch is doing, as Prometheus reads it, and the small HTTP server that says it: GET /metrics.
#pragma once

#include <functional>
#include <string>

#include "level/level.hpp"
#include "system/address.hpp"
#include "system/http.hpp"
#include "watch/watch.hpp"

namespace assay::watch {

std::string metrics(const Status& status, Level level);

class MetricsServer {
 public:
  // `content` is called for each request. Throws InputError if the address cannot be listened at.
  MetricsServer(const system::Address& address, std::function<std::string()> content);
  std::string address() const { return server_.address(); }

 private:
  system::HttpServer server_;
};

}  // namespace assay::watch
