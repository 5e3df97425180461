// A folder for what nobody needs when the program ends; it vanishes with the object.
#pragma once

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

namespace assay::cli {

class TemporaryFolder {
 public:
  // Throws std::filesystem::filesystem_error.
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "assay-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) {
      throw std::filesystem::filesystem_error("cannot create a folder", name,
                                              std::error_code(errno, std::generic_category()));
    }
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace assay::cli
