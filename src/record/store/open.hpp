// One function per product that opens it; open.cpp has the table of their schemes.
#pragma once

#include <memory>

#include "record/store/store.hpp"
#include "record/store/url.hpp"

namespace assay::record {

// All throw StoreError.
std::unique_ptr<Store> open_memory(StoreUrl url);
std::unique_ptr<Store> open_sqlite(StoreUrl url);
std::unique_ptr<Store> open_postgres(StoreUrl url);
std::unique_ptr<Store> open_mariadb(StoreUrl url);
std::unique_ptr<Store> open_rocksdb(StoreUrl url);
std::unique_ptr<Store> open_redis(StoreUrl url);

}  // namespace assay::record
