#include "database/server/mariadb.hpp"

#include <fmt/format.h>

#include <memory>
#include <stdexcept>

#include "database/server/kinds.hpp"
#include "database/server/single.hpp"

namespace assay::database {

namespace mariadb {

namespace {

// The disk is not waited for: a killed process loses nothing that it gave to the system.
constexpr const char* kNoSync = "--innodb-flush-method=nosync";

}  // namespace

std::string find_server() {
  return system::find_program({"mariadbd", "/usr/sbin/mariadbd"});
}

std::string find_install() {
  return system::find_program({"mariadb-install-db", "/usr/bin/mariadb-install-db"});
}

void create_data(const ServerFolder& folder, const std::string& data, const std::string& password,
                 const std::optional<system::Account>& account) {
  // The first line turns the privileges on, which are off while the files are created.
  const auto sql =
      folder.write("create.sql", fmt::format("FLUSH PRIVILEGES;\n"
                                             "CREATE DATABASE assay;\n"
                                             "GRANT ALL ON *.* TO assay@'127.0.0.1' IDENTIFIED BY '{0}';\n"
                                             "ALTER USER root@localhost IDENTIFIED BY '{0}';\n",
                                             password));
  system::run_to_end(
      {{find_install(), "--no-defaults", "--datadir=" + data, "--tmpdir=" + folder.path().string(),
        "--auth-root-authentication-method=normal", "--skip-test-db", "--skip-name-resolve",
        "--extra-file=" + sql.string(), kNoSync, "--innodb-log-file-size=16M"},
       folder / "install.log",
       account},
      std::chrono::seconds(180));
}

std::string url(const std::string& password, const std::vector<Endpoint>& endpoints) {
  return address("mysql", "assay", password, endpoints, "assay");
}

NodePlan plan(const ServerFolder& folder, const NodePlace& place,
              const std::optional<system::Account>& account, const std::vector<std::string>& more) {
  NodePlan plan;
  const std::string files = (folder / place.name).string();
  plan.launch = {
      {find_server(), "--no-defaults", "--datadir=" + place.data, fmt::format("--port={}", place.port),
       "--bind-address=127.0.0.1", "--socket=" + files + ".socket", "--pid-file=" + files + ".pid",
       "--tmpdir=" + folder.path().string(), "--skip-name-resolve", "--max-connections=300",
       "--performance-schema=0", kNoSync, "--innodb-log-file-size=16M", "--innodb-flush-log-at-trx-commit=2",
       "--innodb-buffer-pool-size=64M", "--innodb-buffer-pool-load-at-startup=0"},
      files + ".log",
      account};
  plan.launch.command.insert(plan.launch.command.end(), more.begin(), more.end());
  return plan;
}

}  // namespace mariadb

std::optional<std::string> missing_for_mariadb() {
  if (mariadb::find_server().empty() || mariadb::find_install().empty()) {
    return "there is no mariadbd or no mariadb-install-db (package mariadb-server)";
  }
  return std::nullopt;
}

std::unique_ptr<Server> start_mariadb() {
  const std::optional<system::Account> account = system::account_for("mysql");
  auto folder = std::make_unique<ServerFolder>(account);
  const std::string password = random_password();
  const std::string data = (*folder / "data").string();
  mariadb::create_data(*folder, data, password, account);
  const auto url = [password](const auto& endpoints) { return mariadb::url(password, endpoints); };
  const auto plan = [&, &files = *folder](const Endpoint& endpoint) {
    return mariadb::plan(files, {"server", data, endpoint.port}, account, {});
  };
  return std::make_unique<SingleServer>(std::move(folder), url, plan);
}

}  // namespace assay::database
