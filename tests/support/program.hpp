// Runs the real program as a user would, and keeps what it said.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace assay::testing {

struct Ran {
  int exit_code = -1;  // -1: ended by a signal
  std::string out, err;
};

Ran run_assay(const std::vector<std::string>& arguments);
// `line` is given to the shell, with $ASSAY set to the program.
Ran run_shell(const std::string& line);

// A folder that vanishes with the object.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::filesystem::path operator/(std::string_view name) const { return path_ / name; }
  std::string string() const { return path_.string(); }
  std::string file(const std::string& name) const { return (path_ / name).string(); }
  // Writes `content` and returns the path.
  std::string file(const std::string& name, const std::string& content) const;

 private:
  std::filesystem::path path_;
};

}  // namespace assay::testing
