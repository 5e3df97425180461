// Takes fragments from collectors over the network, one connection each; docs/watch-protocol.md gives the
// bytes. A fragment is acknowledged once it is safe, and not before; what was acknowledged is ignored when it
// comes again, and refused when it comes with another content; a fragment that comes too early waits a while for
// those before it. Nothing is read from a connection while there is no room, so a fast collector is slowed down
// by TCP and no buffer grows without bound. Who connects is a stranger: it has a place among few, some seconds
// to say who it is, and where there is a secret it must know it. Of a collector a fragment that was refused
// leaves a doubt until it comes again and is taken.
#pragma once

#include <chrono>
#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <string>

#include "collect/frame.hpp"
#include "collect/secret.hpp"
#include "collect/source.hpp"
#include "system/address.hpp"
#include "system/socket.hpp"

namespace assay::collect {

struct SocketLimits {
  std::size_t connections = 1024;
  std::size_t per_address = 256;                      // of them, from one host or user
  std::size_t collectors = 100'000;                   // ever
  std::size_t early_bytes = std::size_t{1} << 25;     // per connection: fragments that wait for others
  std::size_t buffered_bytes = std::size_t{1} << 29;  // all connections: frames in part, and those that wait
  std::uint64_t unpacked_bytes = kLargestUnpacked;    // of one fragment
  std::chrono::milliseconds gap{5000};                // how long they wait
  std::chrono::milliseconds hello{10'000};            // how long until it has said who it is
  std::chrono::milliseconds partial{30'000};          // how long a frame may stop in its middle
  std::chrono::milliseconds idle{3'600'000};          // how long a connection may say nothing at all
};

class SocketSource : public Source {
 public:
  // Throws InputError if the address cannot be listened at.
  SocketSource(const system::Address& address, const ProgressOf& progress, Note note,
               const SocketLimits& limits = {}, std::optional<Secret> secret = std::nullopt);
  ~SocketSource() override;

  std::string address() const { return shown(system::bound_address(listener_)); }
  // Collectors that have said hello, ever.
  std::size_t collectors() const { return collectors_.size(); }

  void collect(Batch& into) override;
  void acknowledge() override;
  bool ended() const override { return false; }
  // Every collector that ever came has said that it is done, and there was one.
  bool at_rest() const override;
  std::vector<Doubt> doubts() const override;
  void wake(std::vector<pollfd>& into) const override;

 private:
  using Clock = std::chrono::steady_clock;
  struct Collector;
  struct Connection;

  void accept_all();
  void receive(Connection& from, Batch& into);
  void take(Connection& from, const Frame& frame, Batch& into);
  void hello(Connection& from, std::string_view body);
  void proof(Connection& from, std::string_view body);
  void admit(Connection& from);
  void repeated(Connection& from, std::uint64_t sequence, bool last, std::string_view block);
  void disputed(Connection& from, std::string_view why);
  void look_at_clock(Connection& from);
  bool has_place(const system::Descriptor& socket, const std::string& peer);
  std::string welcome_of(const Connection& to) const;
  void fragment(Connection& from, const Frame& frame, Batch& into);
  void take_in_order(Connection& from, bool last, std::string block, Batch& into);
  void report_gap(Connection& from);
  void refuse(Connection& from, const std::string& why);
  void send(Connection& to);

  SocketLimits limits_;
  Note note_;
  std::optional<Secret> secret_;
  system::Descriptor listener_;
  std::map<std::string, Collector, std::less<>> collectors_;
  std::list<Connection> connections_;
  std::map<std::string, std::string, std::less<>> refused_;  // by collector: why its next fragment was
  std::vector<std::string> disputes_;
  std::size_t buffered_ = 0;
  std::size_t strangers_told_ = 0;
  bool told_crowded_ = false;
  bool full_ = false;  // the last round of collecting stopped for lack of room
};

}  // namespace assay::collect
