// Trouble for a database while it is being recorded: a nemesis strikes, and later heals what it did. A thread
// lets one after the other strike, at moments that a seed decides, and tells what happened when.
#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "database/fault/proxy.hpp"
#include "database/server/server.hpp"
#include "system/random.hpp"
#include "system/thread_safety.hpp"

namespace assay::database {

class Nemesis {
 public:
  virtual ~Nemesis() = default;
  // Returns what it did, for people. May throw std::runtime_error.
  virtual std::string strike(system::Random& random) = 0;
  // After strike(); the system is whole again when it returns. May throw std::runtime_error.
  virtual void heal() = 0;
};

// What the nemesis works on must outlive it.
std::unique_ptr<Nemesis> make_server_killer(Server& server);
std::unique_ptr<Nemesis> make_server_pauser(Server& server);
// REQUIRES: the server has others.
std::unique_ptr<Nemesis> make_partitioner(Server& server);
std::unique_ptr<Nemesis> make_connection_resetter(std::vector<Proxy*> proxies);
// Up to `most` in each direction.
std::unique_ptr<Nemesis> make_network_slower(std::vector<Proxy*> proxies, std::chrono::milliseconds most);
std::unique_ptr<Nemesis> make_network_staller(std::vector<Proxy*> proxies);

struct Disturbance {
  std::string what;
  std::int64_t from_ns = 0;  // by the clock that was given
  std::int64_t to_ns = 0;
};

struct TroubleSchedule {
  std::uint64_t seed = 0;
  // Each time between half and all of this.
  std::chrono::milliseconds calm{1000};
  std::chrono::milliseconds trouble{500};
};

class Trouble {
 public:
  // REQUIRES: at least one nemesis. Begins with a calm. `tell` is called by the thread when something is
  // healed, so that what is lost with this process is at most the last fault.
  Trouble(std::vector<std::unique_ptr<Nemesis>> nemeses, TroubleSchedule schedule,
          std::function<std::int64_t()> now_ns, std::function<void(const Disturbance&)> tell);
  // Stops too, but keeps errors to itself.
  ~Trouble();
  Trouble(const Trouble&) = delete;
  Trouble& operator=(const Trouble&) = delete;

  // Heals what is broken and ends the thread. Throws what a nemesis threw.
  void stop();

 private:
  void run();
  // False if it is time to stop.
  bool rest(std::chrono::milliseconds about);
  void end();

  std::vector<std::unique_ptr<Nemesis>> nemeses_;
  TroubleSchedule schedule_;
  std::function<std::int64_t()> now_ns_;
  std::function<void(const Disturbance&)> tell_;
  system::Random random_;
  system::Mutex mutex_;
  system::Condition changed_;
  bool stop_ GUARDED_BY(mutex_) = false;
  std::exception_ptr error_;  // of the thread, until it has ended
  std::thread thread_;
};

}  // namespace assay::database
