// How a product is opened. What needs a client library is a module, one per product (client/*): a
// shared object that exports assay_open_store() and is loaded when the product is first used. So a check
// loads no database client, and a machine that lacks one client can record on the other products.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "database/store.hpp"
#include "database/url.hpp"

namespace assay::database {

// What each module exports; nothing but the modules defines it. Throws StoreError.
extern "C" [[gnu::visibility("default")]] void assay_open_store(StoreUrl& url, std::unique_ptr<Store>& store);

struct Module {
  std::string_view file;     // without a folder: modules stand beside the program or in the library folder
  std::string_view package;  // that has the client library, as Debian calls it
};

// The function that the module exports. It stays loaded, since stores and their errors point into it. Throws
// StoreError, fatal, that tells what is missing.
decltype(assay_open_store)* load(const Module& module);

// Throws StoreError.
std::unique_ptr<Store> open_memory(StoreUrl url);

// Nothing if open_store() has the client that addresses with this scheme need; otherwise what is missing.
std::optional<std::string> missing_for_store(std::string_view scheme);

}  // namespace assay::database
