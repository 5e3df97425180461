#include "database/fault/nemesis.hpp"

#include <fmt/format.h>

#include <cassert>

namespace assay::database {

namespace {

class ServerKiller final : public Nemesis {
 public:
  explicit ServerKiller(Server& server) : server_(server) {}
  std::string strike(system::Random& random) override {
    const std::size_t nodes = server_.endpoints().size();
    node_ = random.below(std::uint64_t{nodes});
    server_.kill(node_);
    return nodes == 1 ? "the server was killed and restarted"
                      : fmt::format("node {} was killed and restarted", node_);
  }
  void heal() override { server_.restart(node_); }

 private:
  Server& server_;
  std::size_t node_ = 0;
};

class ServerPauser final : public Nemesis {
 public:
  explicit ServerPauser(Server& server) : server_(server) {}
  std::string strike(system::Random& random) override {
    const std::size_t nodes = server_.endpoints().size();
    node_ = random.below(std::uint64_t{nodes});
    server_.pause(node_);
    return nodes == 1 ? "the server stood still" : fmt::format("node {} stood still", node_);
  }
  void heal() override { server_.resume(node_); }

 private:
  Server& server_;
  std::size_t node_ = 0;
};

class Partitioner final : public Nemesis {
 public:
  explicit Partitioner(Server& server) : server_(server) {}
  std::string strike(system::Random& random) override {
    node_ = random.below(std::uint64_t{server_.endpoints().size()});
    server_.cut_off(node_);
    return fmt::format("node {} was cut off from the others", node_);
  }
  void heal() override { server_.rejoin(node_); }

 private:
  Server& server_;
  std::size_t node_ = 0;
};

class ConnectionResetter final : public Nemesis {
 public:
  explicit ConnectionResetter(std::vector<Proxy*> proxies) : proxies_(std::move(proxies)) {}
  std::string strike(system::Random&) override {
    for (Proxy* proxy : proxies_) proxy->reset_all();
    return "all connections were reset";
  }
  void heal() override {}

 private:
  std::vector<Proxy*> proxies_;
};

class NetworkSlower final : public Nemesis {
 public:
  NetworkSlower(std::vector<Proxy*> proxies, std::chrono::milliseconds most)
      : proxies_(std::move(proxies)), most_(most) {}
  std::string strike(system::Random& random) override {
    const auto ms = static_cast<std::int64_t>(1 + random.below(static_cast<std::uint64_t>(most_.count())));
    set(std::chrono::milliseconds(ms));
    return fmt::format("the network took {} ms in each direction", ms);
  }
  void heal() override { set(std::chrono::milliseconds(0)); }

 private:
  void set(std::chrono::milliseconds delay) const {
    for (Proxy* proxy : proxies_) proxy->set_delay(delay);
  }
  std::vector<Proxy*> proxies_;
  std::chrono::milliseconds most_;
};

class NetworkStaller final : public Nemesis {
 public:
  explicit NetworkStaller(std::vector<Proxy*> proxies) : proxies_(std::move(proxies)) {}
  std::string strike(system::Random&) override {
    for (Proxy* proxy : proxies_) proxy->set_stalled(true);
    return "the network stalled";
  }
  void heal() override {
    for (Proxy* proxy : proxies_) proxy->set_stalled(false);
  }

 private:
  std::vector<Proxy*> proxies_;
};

}  // namespace

std::unique_ptr<Nemesis> make_server_killer(Server& server) {
  return std::make_unique<ServerKiller>(server);
}

std::unique_ptr<Nemesis> make_server_pauser(Server& server) {
  return std::make_unique<ServerPauser>(server);
}

std::unique_ptr<Nemesis> make_partitioner(Server& server) {
  assert(server.has_others());
  return std::make_unique<Partitioner>(server);
}

std::unique_ptr<Nemesis> make_connection_resetter(std::vector<Proxy*> proxies) {
  return std::make_unique<ConnectionResetter>(std::move(proxies));
}

std::unique_ptr<Nemesis> make_network_slower(std::vector<Proxy*> proxies, std::chrono::milliseconds most) {
  assert(most.count() > 0);
  return std::make_unique<NetworkSlower>(std::move(proxies), most);
}

std::unique_ptr<Nemesis> make_network_staller(std::vector<Proxy*> proxies) {
  return std::make_unique<NetworkStaller>(std::move(proxies));
}

Trouble::Trouble(std::vector<std::unique_ptr<Nemesis>> nemeses, TroubleSchedule schedule,
                 std::function<std::int64_t()> now_ns, std::function<void(const Disturbance&)> tell)
    : nemeses_(std::move(nemeses)),
      schedule_(schedule),
      now_ns_(std::move(now_ns)),
      tell_(std::move(tell)),
      random_(schedule.seed) {
  assert(!nemeses_.empty());
  thread_ = std::thread([this] { run(); });
}

Trouble::~Trouble() {
  end();
}

void Trouble::end() {
  if (!thread_.joinable()) return;
  {
    const system::MutexLock lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Trouble::stop() {
  end();
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

bool Trouble::rest(std::chrono::milliseconds about) {
  const auto half = static_cast<std::uint64_t>(about.count() / 2);
  const auto time = std::chrono::milliseconds(half + random_.below(half + 1));
  const auto until = std::chrono::steady_clock::now() + time;
  system::MutexLock lock(mutex_);
  while (!stop_ && changed_.wait_until(lock, until)) {
  }
  return !stop_;
}

void Trouble::run() {
  try {
    while (rest(schedule_.calm)) {
      Nemesis& nemesis = *nemeses_[random_.below(std::uint64_t{nemeses_.size()})];
      Disturbance disturbance;
      disturbance.from_ns = now_ns_();
      disturbance.what = nemesis.strike(random_);
      rest(schedule_.trouble);
      nemesis.heal();
      disturbance.to_ns = now_ns_();
      tell_(disturbance);
    }
  } catch (...) {
    error_ = std::current_exception();
  }
}

}  // namespace assay::database
