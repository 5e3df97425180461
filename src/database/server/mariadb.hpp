// What a single MariaDB server and a node of a Galera cluster have in common.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "database/server/node.hpp"
#include "database/server/place.hpp"
#include "database/url.hpp"

namespace assay::database::mariadb {

std::string find_server();
std::string find_install();

// Creates the files of a server, with a database "assay" and an account "assay" that may do everything.
void create_data(const ServerFolder& folder, const std::string& data, const std::string& password,
                 const std::optional<system::Account>& account);

struct NodePlace {
  std::string name;  // distinguishes the files of the nodes in one folder
  std::string data;
  std::uint16_t port = 0;
};

// For open_store().
std::string url(const std::string& password, const std::vector<Endpoint>& endpoints);

// Without the address. `more` options are put behind the ones that every node has.
NodePlan plan(const ServerFolder& folder, const NodePlace& place,
              const std::optional<system::Account>& account, const std::vector<std::string>& more);

}  // namespace assay::database::mariadb
