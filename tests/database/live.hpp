// One product, alive, and what the tests of stores say about it.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "database/fault/proxy.hpp"
#include "database/server/start.hpp"
#include "database/store.hpp"
#include "support/program.hpp"

namespace assay::database {

struct Product {
  std::string name;
  std::string address;  // of what lives in this process; @ is a temporary folder
  std::string server;   // of the others
  std::string options = "";
};

inline void PrintTo(const Product& product, std::ostream* out) {
  *out << product.name;
}

// One product, alive. A server is reached through proxies, one before each node.
class Live {
 public:
  explicit Live(const Product& product) {
    if (product.server.empty()) {
      address_ = product.address;
      const std::size_t at = address_.find('@');
      if (at != std::string::npos) address_.replace(at, 1, folder_.file("store"));
    } else {
      server_ = start_server(product.server);
      std::vector<Endpoint> proxied;
      for (const Endpoint& endpoint : server_->endpoints()) {
        proxies_.push_back(std::make_unique<Proxy>(endpoint));
        proxied.push_back(proxies_.back()->endpoint());
      }
      // Short, so that what stalls is given up soon; long enough for a busy machine.
      address_ = server_->url(proxied) + "?timeout=2" + product.options;
    }
    store_ = open_store(address_);
    store_->prepare();
  }

  Store& store() { return *store_; }
  const std::string& address() const { return address_; }
  Server& server() { return *server_; }
  const std::vector<std::unique_ptr<Proxy>>& proxies() const { return proxies_; }
  Level strongest() const { return store_->modes().front().asked.value(); }

 private:
  testing::TemporaryFolder folder_;
  std::unique_ptr<Server> server_;
  std::vector<std::unique_ptr<Proxy>> proxies_;
  std::string address_;
  std::unique_ptr<Store> store_;
};

inline std::string told(const std::optional<StoredValue>& stored) {
  return stored ? stored->value + " by " + std::to_string(stored->version) : "nothing";
}

inline std::string told(const std::vector<StoredRow>& rows) {
  std::string all;
  for (const StoredRow& row : rows) all += row.key + "=" + told(row.stored) + "; ";
  return all;
}

inline std::string told(const std::vector<ListElement>& elements) {
  std::string all;
  for (const ListElement element : elements) all += std::to_string(element.version) + " ";
  return all;
}

// Runs until it commits. A conflict with nobody in sight may still be reported, for example by a vacuum.
template <typename Body>
inline void in_transaction(StoreSession& session, std::optional<Level> level, const Body& body) {
  for (int attempt = 0;; ++attempt) {
    try {
      session.begin(level);
      body();
      session.commit();
      return;
    } catch (const StoreError& error) {
      if (error.failure() != Failure::aborted || attempt == 20) throw;
    }
  }
}

}  // namespace assay::database
