// A PostgreSQL server that takes writes, and others that follow its log and answer reads: streaming replication, which the
// first does not wait for.
#include <fmt/format.h>
#include <signal.h>

#include <memory>

#include "database/server/kinds.hpp"
#include "database/server/postgres.hpp"

namespace assay::database {

namespace {

class PostgresReplicas final : public Server {
 public:
  explicit PostgresReplicas(std::size_t nodes)
      : account_(system::account_for("postgres")), folder_(account_) {
    const std::string first = data_of(0);
    postgres::create_data(folder_, first, password_, account_);
    folder_.write("pgpass", fmt::format("*:*:*:assay:{}\n", password_));
    // The files of a server that never ran are a backup of it.
    for (std::size_t node = 1; node < nodes; ++node) {
      run({"cp", "/bin/cp"}, {"-a", first, data_of(node)});
      run({"touch", "/usr/bin/touch"}, {data_of(node) + "/standby.signal"});
    }
    with_free_ports(nodes, [&](const auto& ports) {
      ports_ = ports;
      nodes_.clear();
      for (std::size_t node = 0; node < nodes; ++node) {
        nodes_.push_back(std::make_unique<ServerNode>(plan(node)));
        nodes_.back()->start();
      }
    });
  }

  std::vector<Endpoint> endpoints() const override {
    std::vector<Endpoint> all;
    for (std::size_t node = 0; node < nodes_.size(); ++node) all.push_back(endpoint(node));
    return all;
  }
  std::string url(const std::vector<Endpoint>& by_way_of) const override {
    return postgres::url(password_, by_way_of);
  }
  void kill(std::size_t node) override { nodes_.at(node)->kill(); }
  void restart(std::size_t node) override { nodes_.at(node)->restart(); }
  void pause(std::size_t node) override { nodes_.at(node)->pause(); }
  void resume(std::size_t node) override { nodes_.at(node)->resume(); }

  bool has_others() const override { return nodes_.size() > 1; }
  void cut_off(std::size_t node) override { signal_receivers(node, SIGSTOP); }
  void rejoin(std::size_t node) override { signal_receivers(node, SIGCONT); }

 private:
  // All that passes between nodes is what each follower's receiver takes from the first.
  void signal_receivers(std::size_t node, int signal) {
    for (std::size_t follower = 1; follower < nodes_.size(); ++follower) {
      if (node == 0 || node == follower) nodes_[follower]->signal_part(signal, "walreceiver");
    }
  }

  std::string data_of(std::size_t node) const { return (folder_ / fmt::format("data{}", node)).string(); }
  Endpoint endpoint(std::size_t node) const { return {"127.0.0.1", ports_[node]}; }

  void run(const std::vector<std::string>& program, const std::vector<std::string>& arguments) const {
    std::vector<std::string> command{system::find_program(program)};
    command.insert(command.end(), arguments.begin(), arguments.end());
    system::run_to_end({command, folder_ / "files.log", account_}, std::chrono::seconds(120));
  }

  NodePlan plan(std::size_t node) const {
    std::vector<std::string> more{"wal_keep_size=1GB"};  // a follower that was away finds what it missed
    if (node != 0) {
      more.push_back(fmt::format("primary_conninfo=host=127.0.0.1 port={} user=assay passfile={}", ports_[0],
                                 (folder_ / "pgpass").string()));
      more.emplace_back("wal_retrieve_retry_interval=100ms");
    }
    NodePlan plan = postgres::plan(folder_, data_of(node), endpoint(node), account_, more);
    plan.url = url({endpoint(node)});
    return plan;
  }

  std::string password_ = random_password();
  std::optional<system::Account> account_;
  ServerFolder folder_;
  std::vector<std::uint16_t> ports_;
  std::vector<std::unique_ptr<ServerNode>> nodes_;
};

}  // namespace

std::unique_ptr<Server> start_postgres_replicas(std::size_t nodes) {
  return std::make_unique<PostgresReplicas>(nodes);
}

}  // namespace assay::database
