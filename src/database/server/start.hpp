// Starts a private server of a kind that is named.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "database/server/server.hpp"

namespace assay::database {

// "postgres", "mariadb", "redis", "galera:N" for a cluster of N nodes, or "postgres:N" for one that takes writes and N-1
// that follow it. Returns when it answers. Throws
// std::runtime_error.
std::unique_ptr<Server> start_server(const std::string& kind);

// Nothing if start_server(kind) has the programs and the client library that it needs; otherwise what is
// missing. Throws std::runtime_error if there is no such kind.
std::optional<std::string> missing_for_server(const std::string& kind);

}  // namespace assay::database
