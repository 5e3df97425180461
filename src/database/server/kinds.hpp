// One file per kind of server; server.cpp has the table.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "database/server/server.hpp"

namespace assay::database {

std::optional<std::string> missing_for_postgres();
std::optional<std::string> missing_for_mariadb();
std::optional<std::string> missing_for_galera();
std::optional<std::string> missing_for_redis();

// These throw std::runtime_error.
std::unique_ptr<Server> start_postgres();
std::unique_ptr<Server> start_postgres_replicas(std::size_t nodes);
std::unique_ptr<Server> start_mariadb();
std::unique_ptr<Server> start_galera(std::size_t nodes);
std::unique_ptr<Server> start_redis();

// scheme://user:password@host:port,…/path
std::string address(std::string_view scheme, std::string_view user, std::string_view password,
                    const std::vector<Endpoint>& endpoints, std::string_view path);

}  // namespace assay::database
