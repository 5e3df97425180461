// Files that must outlive a crash: what is written here is on the disk when the call returns.
#pragma once

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

#include "system/descriptor.hpp"

namespace assay::system {

// The disk is full, gone, or broken. Not an error of the input: it may pass.
struct StorageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// "PATH: WHAT: why, by errno".
[[noreturn]] void storage_failed(const std::filesystem::path& path, const char* what);

// Writes all of it at `offset`, without making it safe.
void write_at(const Descriptor& file, const std::filesystem::path& path, std::string_view bytes,
              std::uint64_t offset);
void make_safe(const Descriptor& file, const std::filesystem::path& path);
// Makes the names in a folder safe: files that were created, renamed or removed.
void make_folder_safe(const std::filesystem::path& folder);
// Either the old content or the new is there, whatever happens meanwhile.
void replace_file(const std::filesystem::path& path, std::string_view bytes);

// The folder of one watch, created if need be; another process that holds it is an InputError.
class HeldFolder {
 public:
  explicit HeldFolder(const std::filesystem::path& path);

 private:
  Descriptor lock_;
};

}  // namespace assay::system
