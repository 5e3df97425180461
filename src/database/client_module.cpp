#include <fmt/format.h>

#include <filesystem>
#include <stdexcept>

#include "database/product.hpp"
#include "system/installed.hpp"
#include "system/module.hpp"

namespace assay::database {

decltype(assay_open_store)* load(const Module& module) {
  const std::filesystem::path file = std::filesystem::path(ASSAY_MODULE_FOLDER) / module.file;
  if (const auto path = system::find_installed(file)) {
    void* loaded = nullptr;
    try {
      loaded = system::load_module(*path);
    } catch (const std::runtime_error& error) {
      throw StoreError(Failure::fatal,
                       fmt::format("cannot load the client of this database: {} (Debian has it "
                                   "in the package {})",
                                   error.what(), module.package));
    }
    try {
      return reinterpret_cast<decltype(assay_open_store)*>(system::find_symbol(loaded, "assay_open_store"));
    } catch (const std::runtime_error& error) {
      throw StoreError(Failure::fatal, error.what());
    }
  }
  throw StoreError(Failure::fatal,
                   fmt::format("this installation of Assay cannot record on this database: there is no {}",
                               system::installed_place(file).string()));
}

}  // namespace assay::database
