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

  // Between these two the node does nothing, and loses nothing.
  virtual void pause(std::size_t node) = 0;
  virtual void resume(std::size_t node) = 0;

  // Whether there are others that a node can be cut off from. Between cut_off() and rejoin() no word passes between the
  // node and the others; its clients still reach it. Both may throw std::runtime_error.
  virtual bool has_others() const { return false; }
  virtual void cut_off(std::size_t) {}
  virtual void rejoin(std::size_t) {}
};

}  // namespace assay::database
