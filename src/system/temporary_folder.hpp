// A folder for what nobody needs when the program ends; it vanishes with the object.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace assay::system {

class TemporaryFolder {
 public:
  // Its name begins with `name`, and only its owner may enter it. Throws std::filesystem::filesystem_error.
  explicit TemporaryFolder(const std::string& name = "assay");
  TemporaryFolder(const std::filesystem::path& parent, const std::string& name);
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(std::string_view name) const { return path_ / name; }
  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
  void* noted_ = nullptr;  // where remove_temporary_folders() finds it
};

// Removes every TemporaryFolder that is there, for a signal handler that is about to end the program: it only calls
// what a handler may call.
void remove_temporary_folders();

}  // namespace assay::system
