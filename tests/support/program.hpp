// Runs the real program as a user would, and keeps what it said.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "system/temporary_folder.hpp"

namespace assay::testing {

struct Ran {
  int exit_code = -1;  // -1: ended by a signal
  std::string out, err;
};

Ran run_assay(const std::vector<std::string>& arguments);
// `line` is given to the shell, with $ASSAY set to the program.
Ran run_shell(const std::string& line);

// A folder that vanishes with the object.
class TemporaryFolder : public system::TemporaryFolder {
 public:
  TemporaryFolder() : system::TemporaryFolder("assay-test") {}
  std::string string() const { return path().string(); }
  using system::TemporaryFolder::file;
  // Writes `content` and returns the path.
  std::string file(const std::string& name, const std::string& content) const;
};

}  // namespace assay::testing
