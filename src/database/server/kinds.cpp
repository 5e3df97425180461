#include "database/server/kinds.hpp"

#include <fmt/format.h>

namespace assay::database {

std::string address(std::string_view scheme, std::string_view user, std::string_view password,
                    const std::vector<Endpoint>& endpoints, std::string_view path) {
  std::string hosts;
  for (const Endpoint& endpoint : endpoints) {
    hosts += fmt::format("{}{}:{}", hosts.empty() ? "" : ",", endpoint.host, endpoint.port);
  }
  return fmt::format("{}://{}:{}@{}/{}", scheme, escaped_for_url(user), escaped_for_url(password), hosts,
                     path);
}

}  // namespace assay::database
