// The database that a recording is made on: one that is there already, a private server that faults may
// strike, or a SQLite file of its own. It ends with this object, unless it was there already.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "database/fault/nemesis.hpp"
#include "database/fault/proxy.hpp"
#include "database/server/start.hpp"
#include "database/store.hpp"
#include "system/swept_folder.hpp"

namespace assay::database {

// What can befall a database meanwhile. All but the last need a private server.
enum class Fault : std::uint8_t {
  kill,       // a node is killed and started again
  pause,      // a node stands still
  partition,  // a node is cut off from the others; needs a cluster
  reset,      // connections are reset
  slow,       // the network is slow
  stall,      // the network stalls
  clock,      // the clients' clock steps; whoever has that clock brings the nemesis
};

// With neither of the first two: SQLite in a temporary folder.
struct TargetOptions {
  std::optional<std::string> url;     // of a database that is there already
  std::optional<std::string> server;  // a private one, as start_server() takes it; '?' and options of its URL
                                      // may follow
  std::vector<Fault> faults;
  std::optional<std::string> password = std::nullopt;  // for the URL, if it has none
};

class Target {
 public:
  // Starts what is to be started and opens the store. Throws StoreError. REQUIRES: not both a URL and a
  // server, and no fault but `clock` without a server.
  explicit Target(const TargetOptions& options);
  Target(const Target&) = delete;
  Target& operator=(const Target&) = delete;

  Store& store() { return *store_; }
  bool has(Fault fault) const;

  // Between these two, trouble: the faults that were asked for, and the nemeses in `more`. `tell` is called
  // by a thread of its own, with times since the start. stop_trouble() throws what a nemesis threw.
  void start_trouble(std::uint64_t seed, std::vector<std::unique_ptr<Nemesis>> more,
                     std::function<void(const Disturbance&)> tell);
  void stop_trouble();

 private:
  void start_server_of_kind(const std::string& kind);
  std::string server_url() const;

  std::vector<Fault> faults_;
  std::optional<system::SweptFolder> folder_;
  std::unique_ptr<Server> server_;
  std::string url_options_;
  std::vector<std::unique_ptr<Proxy>> proxies_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<Trouble> trouble_;  // last: it works on all the others
};

}  // namespace assay::database
