#include <fmt/format.h>

#include "database/server/kinds.hpp"
#include "database/server/single.hpp"

namespace assay::database {

namespace {

std::string find_redis() {
  return system::find_program({"redis-server"});
}

}  // namespace

std::optional<std::string> missing_for_redis() {
  if (find_redis().empty()) return "there is no redis-server (package redis-server)";
  return std::nullopt;
}

std::unique_ptr<Server> start_redis() {
  auto folder = std::make_unique<ServerFolder>(std::nullopt);
  const std::string password = random_password();
  const auto url = [password](const auto& endpoints) {
    return address("redis", "", password, endpoints, "0");
  };
  const auto plan = [&files = *folder, &password](const Endpoint& endpoint) {
    // Every commit is written to the log before it is answered, so that a killed process loses none.
    const auto configuration =
        files.write("redis.conf", fmt::format("bind {}\nport {}\nrequirepass {}\ndir {}\nsave \"\"\n"
                                              "appendonly yes\nappendfsync no\ndaemonize no\n",
                                              endpoint.host, endpoint.port, password, files.path().string()));
    NodePlan node;
    node.launch = {{find_redis(), configuration.string()}, files / "server.log", std::nullopt};
    return node;
  };
  return std::make_unique<SingleServer>(std::move(folder), url, plan);
}

}  // namespace assay::database
