#include "support/inputs.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace assay::testing {

OwnedInput OwnedInput::load(const std::filesystem::path& path) {
  if (!std::filesystem::is_directory(path)) {
    return OwnedInput(false, {{path.filename().string(), file_text(path)}});
  }
  std::vector<std::pair<std::string, std::string>> files;
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    if (entry.is_regular_file())
      files.emplace_back(entry.path().filename().string(), file_text(entry.path()));
  }
  std::sort(files.begin(), files.end());
  return OwnedInput(true, std::move(files));
}

OwnedInput::operator format::Input() const {
  format::Input input;
  input.path = "input";
  input.directory = directory_;
  for (const auto& [name, bytes] : files_)
    input.files.push_back({directory_ ? "input/" + name : name, bytes});
  return input;
}

std::string file_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot open " + path.string());
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::filesystem::path shared_histories() {
  return std::filesystem::path(ASSAY_SOURCE_DIR) / ".." / "shared" / "histories";
}

std::vector<std::filesystem::path> files_below(const std::filesystem::path& folder, std::string_view ending) {
  std::vector<std::filesystem::path> found;
  if (!std::filesystem::is_directory(folder)) return found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file() && entry.path().filename().string().ends_with(ending))
      found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace assay::testing
