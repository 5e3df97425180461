#include <fmt/format.h>

#include <array>

#include "database/product.hpp"

namespace assay::database {

namespace {

struct Product {
  std::string_view scheme;
  std::string_view form;         // for messages; empty for a second name
  std::optional<Module> module;  // none: part of the program
};

constexpr Module kSqlite{"sqlite.so", "libsqlite3-0"};
constexpr Module kPostgres{"postgres.so", "libpq5"};
constexpr Module kMariadb{"mariadb.so", "libmariadb3"};
constexpr Module kRocksdb{"rocksdb.so", "librocksdb7.8"};
constexpr Module kRedis{"redis.so", "libhiredis0.14"};

constexpr std::array<Product, 8> kProducts{{
    {"sqlite", "sqlite:FILE", kSqlite},
    {"postgres", "postgres://user:password@host:port/database", kPostgres},
    {"postgresql", "", kPostgres},
    {"mysql", "mysql://user:password@host:port/database", kMariadb},
    {"mariadb", "", kMariadb},
    {"rocksdb", "rocksdb:FOLDER", kRocksdb},
    {"redis", "redis://:password@host:port/number", kRedis},
    {"memory", "memory:LEVEL", std::nullopt},
}};

const Product& find_product(std::string_view scheme) {
  std::string forms;
  for (const Product& product : kProducts) {
    if (product.scheme == scheme) return product;
    if (!product.form.empty()) forms += fmt::format("{}{}", forms.empty() ? "" : ", ", product.form);
  }
  throw StoreError(Failure::fatal, fmt::format("there is no store '{}'; there are {}", scheme, forms));
}

}  // namespace

std::unique_ptr<Store> open_store(const std::string& text, const std::optional<std::string>& password) {
  StoreUrl url(text);
  if (password) url.set_password(*password);
  const Product& product = find_product(url.scheme());
  if (!product.module) return open_memory(std::move(url));
  std::unique_ptr<Store> store;
  load (*product.module)(url, store);
  return store;
}

std::optional<std::string> missing_for_store(std::string_view scheme) {
  try {
    const Product& product = find_product(scheme);
    if (product.module) load(*product.module);
    return std::nullopt;
  } catch (const StoreError& error) {
    return error.what();
  }
}

}  // namespace assay::database
