#include <fmt/format.h>

#include <stdexcept>

#include "record/server/kinds.hpp"
#include "record/server/node.hpp"
#include "record/server/place.hpp"

namespace assay::record {

namespace {

std::string find_redis() {
  return find_program({"redis-server"});
}

class RedisServer final : public Server {
 public:
  RedisServer() : folder_(std::nullopt) {
    with_free_ports(1, [&](const auto& ports) {
      port_ = ports[0];
      // Every commit is written to the log before it is answered, so that a killed process loses none.
      const auto configuration = folder_.write(
          "redis.conf", fmt::format("bind 127.0.0.1\nport {}\nrequirepass {}\ndir {}\nsave \"\"\n"
                                    "appendonly yes\nappendfsync no\ndaemonize no\n",
                                    port_, password_, folder_.path().string()));
      NodePlan plan;
      plan.launch = {{find_redis(), configuration.string()}, folder_ / "server.log", std::nullopt};
      plan.url = url(endpoints());
      node_ = std::make_unique<ServerNode>(std::move(plan));
      node_->start();
    });
  }

  std::vector<Endpoint> endpoints() const override { return {{"127.0.0.1", port_}}; }
  std::string url(const std::vector<Endpoint>& by_way_of) const override {
    return address("redis", "", password_, by_way_of, "0");
  }
  void kill(std::size_t) override { node_->kill(); }
  void restart(std::size_t) override { node_->restart(); }

 private:
  std::string password_ = random_password();
  ServerFolder folder_;
  std::uint16_t port_ = 0;
  std::unique_ptr<ServerNode> node_;
};

}  // namespace

std::optional<std::string> missing_for_redis() {
  if (find_redis().empty()) return "there is no redis-server (package redis-server)";
  return std::nullopt;
}

std::unique_ptr<Server> start_redis() {
  return std::make_unique<RedisServer>();
}

}  // namespace assay::record
