#include "system/installed.hpp"

namespace assay::system {

namespace {

std::filesystem::path program_folder() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path();
}

}  // namespace

std::filesystem::path installed_place(const std::filesystem::path& below) {
  return (program_folder().parent_path() / below).lexically_normal();
}

std::optional<std::filesystem::path> find_installed(const std::filesystem::path& below) {
  for (const std::filesystem::path& path : {installed_place(below), program_folder() / below}) {
    if (std::filesystem::exists(path)) return path;
  }
  return std::nullopt;
}

}  // namespace assay::system
