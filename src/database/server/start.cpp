#include "database/server/start.hpp"

#include <fmt/format.h>

#include <charconv>
#include <stdexcept>

#include "database/product.hpp"
#include "database/server/kinds.hpp"

namespace assay::database {

namespace {

constexpr std::size_t kMostNodes = 16;

struct Kind {
  std::string name;
  std::size_t nodes = 1;
};

Kind parsed(const std::string& text) {
  const std::size_t colon = text.find(':');
  Kind kind{text.substr(0, colon)};
  bool good =
      kind.name == "postgres" || kind.name == "mariadb" || kind.name == "redis" || kind.name == "galera";
  if (kind.name == "galera") kind.nodes = 3;
  if (colon != std::string::npos) {
    const char* const end = text.data() + text.size();
    const auto [behind, error] = std::from_chars(text.data() + colon + 1, end, kind.nodes);
    good = good && (kind.name == "galera" || kind.name == "postgres") && error == std::errc() &&
           behind == end && kind.nodes >= 1 && kind.nodes <= kMostNodes;
  }
  if (!good) {
    throw std::runtime_error(
        fmt::format("there is no server '{}'; there are postgres, mariadb, redis, and galera:N and "
                    "postgres:N with 1 to {} nodes",
                    text, kMostNodes));
  }
  return kind;
}

}  // namespace

std::optional<std::string> missing_for_server(const std::string& text) {
  const Kind kind = parsed(text);
  if (auto missing = missing_for_store(kind.name == "galera" ? "mariadb" : kind.name)) return missing;
  if (kind.name == "postgres") return missing_for_postgres();
  if (kind.name == "mariadb") return missing_for_mariadb();
  if (kind.name == "redis") return missing_for_redis();
  return missing_for_galera();
}

std::unique_ptr<Server> start_server(const std::string& text) {
  const Kind kind = parsed(text);
  if (const auto missing = missing_for_server(text)) throw std::runtime_error(*missing);
  if (kind.name == "postgres")
    return kind.nodes == 1 ? start_postgres() : start_postgres_replicas(kind.nodes);
  if (kind.name == "mariadb") return start_mariadb();
  if (kind.name == "redis") return start_redis();
  return start_galera(kind.nodes);
}

}  // namespace assay::database
