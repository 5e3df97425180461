// A database server of our own: on free ports of the loopback interface, with its files in a temporary folder
// and a password that nobody else knows. It ends with this object, and also if Assay dies. It can be killed
// and started again, since that is what it is for.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "database/url.hpp"

namespace assay::database {

class Server {
 public:
  virtual ~Server() = default;

  // One per node.
  virtual std::vector<Endpoint> endpoints() const = 0;
  // The address for open_store(), by way of these endpoints: those of the server, or of proxies before them.
  virtual std::string url(const std::vector<Endpoint>& by_way_of) const = 0;
  std::string url() const { return url(endpoints()); }

  // As when its machine loses power, except that the disk keeps what it was given. Returns when the node is
  // gone.
  virtual void kill(std::size_t node) = 0;
  // Starts a node that was killed with the files that it left, and returns when it answers. Throws
  // std::runtime_error with the end of its log if it does not.
  virtual void restart(std::size_t node) = 0;
};

}  // namespace assay::database
