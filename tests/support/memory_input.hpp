// Inputs in memory and temporary folders for the tests of readers and writers.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "format/format.hpp"
#include "history/error.hpp"

namespace assay::testing {

// `bytes` must outlive the input.
inline format::Input one_file(std::string_view bytes) {
  return {"test", false, {{"test", bytes}}};
}

using NamedBytes = std::vector<std::pair<std::string, std::string>>;

inline format::Input directory_of(const NamedBytes& files) {
  format::Input input{"dir", true, {}};
  for (const auto& [name, bytes] : files) input.files.push_back({"dir/" + name, bytes});
  return input;
}

class TemporaryFolder {
 public:
  TemporaryFolder() {
    static int number = 0;
    path_ = std::filesystem::temp_directory_path() /
            ("assay-test-" + std::to_string(::getpid()) + "-" + std::to_string(number++));
    std::filesystem::create_directories(path_);
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::filesystem::path operator/(std::string_view name) const { return path_ / name; }
  std::string string() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

inline std::string slurp(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void spit(const std::filesystem::path& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

// What the InputError of an action says; "no error" if there is none.
inline std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace assay::testing
