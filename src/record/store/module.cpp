#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <filesystem>

#include "record/store/product.hpp"

namespace assay::record {

namespace {

// The installed program stands in bin/ and the modules in lib/assay/ beside it; in the build tree the
// programs stand where lib/ does, or one folder deeper.
std::array<std::filesystem::path, 2> places() {
  const auto program = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  return {program.parent_path() / ASSAY_MODULE_FOLDER, program / ASSAY_MODULE_FOLDER};
}

std::string last_error() {
  const char* const text = dlerror();  // NOLINT(concurrency-mt-unsafe): glibc keeps one per thread
  return text != nullptr ? text : "no reason given";
}

}  // namespace

decltype(assay_open_store)* load(const Module& module) {
  for (const std::filesystem::path& place : places()) {
    const std::filesystem::path path = place / module.file;
    if (!std::filesystem::exists(path)) continue;
    // All symbols at once: what is missing must not end the program in the middle of a recording.
    void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
      throw StoreError(Failure::fatal,
                       fmt::format("cannot load the client of this database: {} (Debian has it "
                                   "in the package {})",
                                   last_error(), module.package));
    }
    void* const symbol = dlsym(handle, "assay_open_store");
    if (symbol == nullptr) throw StoreError(Failure::fatal, last_error());
    return reinterpret_cast<decltype(assay_open_store)*>(symbol);
  }
  throw StoreError(Failure::fatal,
                   fmt::format("this installation of Assay cannot record on this database: there is no {}",
                               (places().front().lexically_normal() / module.file).string()));
}

}  // namespace assay::record
