// Runs a program to its end and tells what it cost, as the kernel counted it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace assay::tables {

struct Ran {
  int exit_code = -1;  // -1: ended by a signal
  double cpu_seconds = 0, wall_seconds = 0;
  std::size_t peak_bytes = 0;
  std::string out;
};

// The first of `command` is the program's path. Throws std::system_error if it cannot be started.
Ran run(const std::vector<std::string>& command);

// A folder that is gone, with what is in it, when this is.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace assay::tables
