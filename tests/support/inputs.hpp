// Inputs for format tests: from memory, and from the public histories where they are installed.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "format/format.hpp"
#include "system/input_error.hpp"

namespace assay::testing {

// An Input together with the bytes that it borrows.
class OwnedInput {
 public:
  // One file named "input".
  explicit OwnedInput(std::string bytes) : OwnedInput(false, {{"input", std::move(bytes)}}) {}
  // A directory named "input" of named files.
  static OwnedInput directory(std::vector<std::pair<std::string, std::string>> files) {
    return OwnedInput(true, std::move(files));
  }
  // A file or directory on disk.
  static OwnedInput load(const std::filesystem::path& path);

  operator format::Input() const;  // NOLINT: an owned input is an input

 private:
  OwnedInput(bool directory, std::vector<std::pair<std::string, std::string>> files)
      : directory_(directory), files_(std::move(files)) {}

  bool directory_;
  std::vector<std::pair<std::string, std::string>> files_;
};

std::string file_text(const std::filesystem::path& path);
// The folder of public histories; it may not exist.
std::filesystem::path shared_histories();
// All regular files below a folder whose name ends so, sorted; empty if there is no such folder.
std::vector<std::filesystem::path> files_below(const std::filesystem::path& folder, std::string_view ending);

// What a call complains about; empty if it does not.
template <class Call>
std::string complaint(Call&& call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace assay::testing
