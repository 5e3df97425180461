#include "record/store/open.hpp"

#include <fmt/format.h>

#include <array>

namespace assay::record {

namespace {

struct Product {
  std::string_view scheme;
  std::string_view form;  // for messages
  std::unique_ptr<Store> (*open)(StoreUrl);
};

constexpr std::array<Product, 8> kProducts{{
    {"sqlite", "sqlite:FILE", open_sqlite},
    {"postgres", "postgres://user:password@host:port/database", open_postgres},
    {"postgresql", "", open_postgres},
    {"mysql", "mysql://user:password@host:port/database", open_mariadb},
    {"mariadb", "", open_mariadb},
    {"rocksdb", "rocksdb:FOLDER", open_rocksdb},
    {"redis", "redis://:password@host:port/number", open_redis},
    {"memory", "memory:LEVEL", open_memory},
}};

}  // namespace

std::unique_ptr<Store> open_store(const std::string& text) {
  StoreUrl url(text);
  std::string forms;
  for (const Product& product : kProducts) {
    if (product.scheme == url.scheme()) return product.open(std::move(url));
    if (!product.form.empty()) forms += fmt::format("{}{}", forms.empty() ? "" : ", ", product.form);
  }
  throw StoreError(Failure::fatal, fmt::format("there is no store '{}'; there are {}", url.scheme(), forms));
}

}  // namespace assay::record
