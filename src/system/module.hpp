// Shared objects that are loaded while the program runs, and stay loaded.
#pragma once

#include <filesystem>

namespace assay::system {

// Both throw std::runtime_error with the words of the system's loader.

// All that it needs is looked for at once: what is missing must not end the program later.
void* load_module(const std::filesystem::path& path);
void* find_symbol(void* module, const char* name);

}  // namespace assay::system
