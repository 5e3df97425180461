// What a single PostgreSQL server and a node of several have in common.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "database/server/node.hpp"
#include "database/server/place.hpp"
#include "database/url.hpp"

namespace assay::database::postgres {

std::string find_program(const std::string& program);

// Creates the files of a server, with an account "assay" that may do everything.
void create_data(const ServerFolder& folder, const std::string& data, const std::string& password,
                 const std::optional<system::Account>& account);

// For open_store().
std::string url(const std::string& password, const std::vector<Endpoint>& endpoints);

// Without the address. `more` settings are put behind the ones that every server has.
NodePlan plan(const ServerFolder& folder, const std::string& data, const Endpoint& endpoint,
              const std::optional<system::Account>& account, const std::vector<std::string>& more);

}  // namespace assay::database::postgres
