// Takes fragments from collectors over the network, one connection each; docs/watch-protocol.md gives the
// bytes. A fragment is acknowledged once it is safe, and not before; what was acknowledged is ignored when it
// comes again; a fragment that comes too early waits a while for those before it. Nothing is read from a
// connection while there is no room, so a fast collector is slowed down by TCP and no buffer grows without
// bound.
#pragma once

#include <chrono>
#include <cstdint>
#include <list>
#include <map>
#include <string>

#include "collect/address.hpp"
#include "collect/frame.hpp"
#include "collect/source.hpp"

namespace assay::collect {

struct ServerLimits {
  std::size_t connections = 1024;
  std::size_t collectors = 100'000;                   // ever
  std::size_t early_bytes = std::size_t{1} << 25;     // per connection: fragments that wait for others
  std::size_t buffered_bytes = std::size_t{1} << 29;  // all connections: frames that have come in part
  std::chrono::milliseconds gap{5000};                // how long they wait
  std::chrono::milliseconds hello{10'000};            // how long a connection may say nothing at first
};

class Server : public Source {
 public:
  // Throws InputError if the address cannot be listened at.
  Server(const Address& address, const ProgressOf& progress, Note note, const ServerLimits& limits = {});
  ~Server() override;

  std::string address() const { return bound_address(listener_); }
  // Collectors that have said hello, ever.
  std::size_t collectors() const { return collectors_.size(); }

  void collect(Batch& into) override;
  void acknowledge() override;
  bool ended() const override { return false; }
  // Every collector that ever came has said that it is done, and there was one.
  bool at_rest() const override;
  void wake(std::vector<pollfd>& into) const override;

 private:
  using Clock = std::chrono::steady_clock;
  struct Collector;
  struct Connection;

  void accept_all();
  void receive(Connection& from, Batch& into);
  void take(Connection& from, const Frame& frame, Batch& into);
  void hello(Connection& from, std::string_view body);
  void fragment(Connection& from, const Frame& frame, Batch& into);
  void take_in_order(Connection& from, bool last, std::string block, Batch& into);
  void report_gap(Connection& from);
  void refuse(Connection& from, const std::string& why);
  void send(Connection& to);

  ServerLimits limits_;
  Note note_;
  Descriptor listener_;
  std::map<std::string, Collector, std::less<>> collectors_;
  std::list<Connection> connections_;
  std::size_t buffered_ = 0;
  bool full_ = false;  // the last round of collecting stopped for lack of room
};

}  // namespace assay::collect
