// A Galera cluster: several MariaDB servers that replicate to each other. The first one founds the cluster;
// the others join it and are sent its data.
#include <fmt/format.h>

#include <filesystem>

#include "database/server/kinds.hpp"
#include "database/server/mariadb.hpp"

namespace assay::database {

namespace {

std::string find_provider() {
  for (const char* path : {"/usr/lib/galera/libgalera_smm.so", "/usr/lib64/galera-4/libgalera_smm.so"}) {
    if (std::filesystem::exists(path)) return path;
  }
  return {};
}

std::string find_client() {
  return system::find_program({"mariadb", "/usr/bin/mariadb"});
}

class GaleraCluster final : public Server {
 public:
  explicit GaleraCluster(std::size_t nodes) : account_(system::account_for("mysql")), folder_(account_) {
    const std::string first = (folder_ / "data0").string();
    mariadb::create_data(folder_, first, password_, account_);
    // Joining is quicker with files that are there already, but for what has changed.
    for (std::size_t node = 1; node < nodes; ++node)
      copy(first, (folder_ / fmt::format("data{}", node)).string());
    with_free_ports(nodes * kPortsPerNode, [&](const auto& ports) {
      ports_ = ports;
      nodes_.clear();
      for (std::size_t node = 0; node < nodes; ++node) {
        nodes_.push_back(std::make_unique<ServerNode>(plan(node, nodes, node == 0)));
        nodes_.back()->start();
      }
    });
    // A founder that comes back must join what the others have become, not found another cluster.
    nodes_.front()->set_command(plan(0, nodes, false).launch.command);
  }

  std::vector<Endpoint> endpoints() const override {
    std::vector<Endpoint> all;
    for (std::size_t node = 0; node < nodes_.size(); ++node) all.push_back({"127.0.0.1", port(node, 0)});
    return all;
  }
  std::string url(const std::vector<Endpoint>& by_way_of) const override {
    return mariadb::url(password_, by_way_of);
  }
  void kill(std::size_t node) override { nodes_.at(node)->kill(); }
  void restart(std::size_t node) override { nodes_.at(node)->restart(); }
  void pause(std::size_t node) override { nodes_.at(node)->pause(); }
  void resume(std::size_t node) override { nodes_.at(node)->resume(); }

  bool has_others() const override { return nodes_.size() > 1 && !find_client().empty(); }
  void cut_off(std::size_t node) override { set_isolated(node, true); }
  void rejoin(std::size_t node) override { set_isolated(node, false); }

 private:
  // For clients, for the group, for missed transactions, for all the data.
  static constexpr std::size_t kPortsPerNode = 4;
  std::uint16_t port(std::size_t node, std::size_t which) const {
    return ports_[node * kPortsPerNode + which];
  }

  // Galera's own switch for tests: the node drops whatever it would send to and hear from its group.
  void set_isolated(std::size_t node, bool isolated) const {
    const auto options =
        folder_.write("client.cnf", fmt::format("[client]\nuser=assay\npassword={}\n", password_));
    system::run_to_end(
        {{find_client(), "--defaults-file=" + options.string(), "--host=127.0.0.1",
          fmt::format("--port={}", port(node, 0)), "--connect-timeout=20",
          fmt::format("--execute=SET GLOBAL wsrep_provider_options='gmcast.isolate={}'", isolated ? 1 : 0)},
         folder_ / "client.log",
         account_},
        std::chrono::seconds(60));
  }

  void copy(const std::string& from, const std::string& to) const {
    system::run_to_end(
        {{system::find_program({"cp", "/bin/cp"}), "-a", from, to}, folder_ / "copy.log", account_},
        std::chrono::seconds(120));
  }

  NodePlan plan(std::size_t node, std::size_t nodes, bool founds) const {
    std::string group;
    for (std::size_t other = 0; other < nodes; ++other) {
      group += fmt::format("{}127.0.0.1:{}", group.empty() ? "" : ",", port(other, 1));
    }
    std::vector<std::string> more{
        "--binlog-format=ROW",
        "--innodb-autoinc-lock-mode=2",
        "--wsrep-on=ON",
        "--wsrep-provider=" + find_provider(),
        "--wsrep-cluster-name=assay",
        "--wsrep-cluster-address=gcomm://" + group,
        fmt::format("--wsrep-node-name=node{}", node),
        fmt::format("--wsrep-node-address=127.0.0.1:{}", port(node, 1)),
        fmt::format(
            "--wsrep-provider-options=gmcast.listen_addr=tcp://127.0.0.1:{};ist.recv_addr=127.0.0.1:{};"
            "gcache.size=16M;evs.keepalive_period=PT0.5S;evs.suspect_timeout=PT2S;evs.inactive_timeout=PT6S",
            port(node, 1), port(node, 2)),
        "--wsrep-sst-method=rsync",
        fmt::format("--wsrep-sst-receive-address=127.0.0.1:{}", port(node, 3)),
    };
    if (founds) more.emplace_back("--wsrep-new-cluster");
    const std::string name = fmt::format("node{}", node);
    const std::string data = (folder_ / fmt::format("data{}", node)).string();
    NodePlan plan = mariadb::plan(folder_, {name, data, port(node, 0)}, account_, more);
    plan.url = url({{"127.0.0.1", port(node, 0)}});
    return plan;
  }

  std::string password_ = random_password();
  std::optional<system::Account> account_;
  ServerFolder folder_;
  std::vector<std::uint16_t> ports_;
  std::vector<std::unique_ptr<ServerNode>> nodes_;
};

}  // namespace

std::optional<std::string> missing_for_galera() {
  if (auto missing = missing_for_mariadb()) return missing;
  if (find_provider().empty()) return "there is no libgalera_smm.so (package galera-4)";
  if (system::find_program({"rsync"}).empty()) return "there is no rsync (package rsync)";
  return std::nullopt;
}

std::unique_ptr<Server> start_galera(std::size_t nodes) {
  return std::make_unique<GaleraCluster>(nodes);
}

}  // namespace assay::database
