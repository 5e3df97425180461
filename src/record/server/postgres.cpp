#include <fmt/format.h>
#include <signal.h>
#include <sys/ipc.h>
#include <sys/shm.h>

#include <fstream>
#include <stdexcept>

#include "record/server/kinds.hpp"
#include "record/server/node.hpp"
#include "record/server/place.hpp"

namespace assay::record {

namespace {

// Debian keeps them out of PATH, by version.
std::string find_postgres(const std::string& program) {
  return find_program({"/usr/lib/postgresql/*/bin/" + program, program});
}

class PostgresServer final : public Server {
 public:
  PostgresServer() : account_(account_for("postgres")), folder_(account_) {
    const auto password_file = folder_.write("password", password_);
    run_to_end({{find_postgres("initdb"), "--pgdata=" + data(), "--username=assay",
                 "--pwfile=" + password_file.string(), "--auth=scram-sha-256", "--encoding=UTF8",
                 "--locale=C", "--no-sync", "--no-instructions"},
                folder_ / "initdb.log",
                account_},
               std::chrono::seconds(120));
    with_free_ports(1, [&](const auto& ports) {
      port_ = ports[0];
      node_ = std::make_unique<ServerNode>(plan());
      node_->start();
    });
  }

  std::vector<Endpoint> endpoints() const override { return {{"127.0.0.1", port_}}; }
  std::string url(const std::vector<Endpoint>& by_way_of) const override {
    return address("postgres", "assay", password_, by_way_of, "postgres");
  }
  void kill(std::size_t) override { node_->kill(); }
  void restart(std::size_t) override { node_->restart(); }

 private:
  std::string data() const { return (folder_ / "data").string(); }

  NodePlan plan() const {
    NodePlan plan;
    // The disk is not waited for: a killed process loses nothing that it gave to the system. Deadlocks are
    // looked for early, and shared memory is a file, so that a killed server leaves none.
    plan.launch = {{find_postgres("postgres"),
                    "-D",
                    data(),
                    "-h",
                    "127.0.0.1",
                    "-p",
                    std::to_string(port_),
                    "-k",
                    folder_.path().string(),
                    "-c",
                    "fsync=off",
                    "-c",
                    "full_page_writes=off",
                    "-c",
                    "deadlock_timeout=100ms",
                    "-c",
                    "max_connections=300",
                    "-c",
                    "dynamic_shared_memory_type=mmap",
                    "-c",
                    "max_pred_locks_per_transaction=256",
                    "-c",
                    "max_wal_size=4GB"},
                   folder_ / "server.log",
                   account_,
                   SIGQUIT};
    plan.stop_signal = SIGQUIT;
    plan.url = url(endpoints());
    plan.after_kill = [pid_file = data() + "/postmaster.pid"] { remove_shared_memory(pid_file); };
    return plan;
  }

  // The one small segment of System V shared memory that PostgreSQL always has; its number stands in the
  // seventh line, behind its key.
  static void remove_shared_memory(const std::string& pid_file) {
    std::ifstream in(pid_file);
    std::string line;
    for (int i = 0; i < 6; ++i) std::getline(in, line);
    long key = 0;
    int segment = 0;
    if (in >> key >> segment) shmctl(segment, IPC_RMID, nullptr);
  }

  std::string password_ = random_password();
  std::optional<Account> account_;
  ServerFolder folder_;
  std::uint16_t port_ = 0;
  std::unique_ptr<ServerNode> node_;
};

}  // namespace

std::optional<std::string> missing_for_postgres() {
  for (const char* program : {"initdb", "postgres"}) {
    if (find_postgres(program).empty()) return fmt::format("there is no {} (package postgresql)", program);
  }
  return std::nullopt;
}

std::unique_ptr<Server> start_postgres() {
  return std::make_unique<PostgresServer>();
}

}  // namespace assay::record
