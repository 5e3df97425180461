#include "database/server/postgres.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/ipc.h>
#include <sys/shm.h>

#include <fstream>

#include "database/server/kinds.hpp"
#include "database/server/single.hpp"

namespace assay::database {

namespace postgres {

// Debian keeps them out of PATH, by version.
std::string find_program(const std::string& program) {
  return system::find_program({"/usr/lib/postgresql/*/bin/" + program, program});
}

namespace {

// The one small segment of System V shared memory that PostgreSQL always has; its number stands in the
// seventh line, behind its key.
void remove_shared_memory(const std::string& pid_file) {
  std::ifstream in(pid_file);
  std::string line;
  for (int i = 0; i < 6; ++i) std::getline(in, line);
  long key = 0;
  int segment = 0;
  if (in >> key >> segment) shmctl(segment, IPC_RMID, nullptr);
}

}  // namespace

NodePlan plan(const ServerFolder& folder, const std::string& data, const Endpoint& endpoint,
              const std::optional<system::Account>& account, const std::vector<std::string>& more) {
  NodePlan plan;
  plan.launch = {{find_program("postgres"), "-D", data, "-h", endpoint.host, "-p",
                  std::to_string(endpoint.port), "-k", folder.path().string()},
                 data + ".log",
                 account,
                 SIGQUIT};
  // The disk is not waited for: a killed process loses nothing that it gave to the system. Deadlocks are
  // looked for early, and shared memory is a file, so that a killed server leaves none.
  for (const char* setting :
       {"fsync=off", "full_page_writes=off", "deadlock_timeout=100ms", "max_connections=300",
        "dynamic_shared_memory_type=mmap", "max_pred_locks_per_transaction=256", "max_wal_size=4GB"}) {
    plan.launch.command.emplace_back("-c");
    plan.launch.command.emplace_back(setting);
  }
  for (const std::string& setting : more) {
    plan.launch.command.emplace_back("-c");
    plan.launch.command.push_back(setting);
  }
  plan.stop_signal = SIGQUIT;
  plan.after_kill = [pid_file = data + "/postmaster.pid"] { remove_shared_memory(pid_file); };
  return plan;
}

void create_data(const ServerFolder& folder, const std::string& data, const std::string& password,
                 const std::optional<system::Account>& account) {
  system::run_to_end({{find_program("initdb"), "--pgdata=" + data, "--username=assay",
                       "--pwfile=" + folder.write("password", password).string(), "--auth=scram-sha-256",
                       "--encoding=UTF8", "--locale=C", "--no-sync", "--no-instructions"},
                      folder / "initdb.log",
                      account},
                     std::chrono::seconds(120));
}

std::string url(const std::string& password, const std::vector<Endpoint>& endpoints) {
  return address("postgres", "assay", password, endpoints, "postgres");
}

}  // namespace postgres

std::optional<std::string> missing_for_postgres() {
  for (const char* program : {"initdb", "postgres"}) {
    if (postgres::find_program(program).empty())
      return fmt::format("there is no {} (package postgresql)", program);
  }
  return std::nullopt;
}

std::unique_ptr<Server> start_postgres() {
  const std::optional<system::Account> account = system::account_for("postgres");
  auto folder = std::make_unique<ServerFolder>(account);
  const std::string password = random_password();
  const std::string data = (*folder / "data").string();
  postgres::create_data(*folder, data, password, account);
  const auto url = [password](const auto& endpoints) { return postgres::url(password, endpoints); };
  const auto plan = [&, &files = *folder](const Endpoint& endpoint) {
    return postgres::plan(files, data, endpoint, account, {});
  };
  return std::make_unique<SingleServer>(std::move(folder), url, plan);
}

}  // namespace assay::database
