#include "system/module.hpp"

#include <dlfcn.h>

#include <stdexcept>

namespace assay::system {

namespace {

[[noreturn]] void fail() {
  const char* const text = dlerror();  // NOLINT(concurrency-mt-unsafe): glibc keeps one per thread
  throw std::runtime_error(text != nullptr ? text : "no reason given");
}

}  // namespace

void* load_module(const std::filesystem::path& path) {
  void* const module = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (module == nullptr) fail();
  return module;
}

void* find_symbol(void* module, const char* name) {
  void* const symbol = dlsym(module, name);
  if (symbol == nullptr) fail();
  return symbol;
}

}  // namespace assay::system
