#include "collect/directory_source.hpp"

#include <algorithm>

#include "history/error.hpp"

namespace assay::collect {

namespace fs = std::filesystem;

std::string file_collector(const fs::path& path) {
  return "file:" + path.lexically_normal().string();
}

DirectorySource::DirectorySource(fs::path path, const ProgressOf& progress, Note note)
    : path_(std::move(path)), note_(std::move(note)) {
  if (!fs::is_directory(path_)) throw InputError(path_.string(), "", "this is not a folder");
  const std::string prefix = file_collector(path_ / "");
  for (const auto& [collector, known] : progress) {
    if (collector.starts_with(prefix)) progress_.emplace(collector, known);
  }
  // What was being read before comes first: it may have other names now, which look() would take for new.
  for (const auto& [collector, known] : progress_) {
    const fs::path file(collector.substr(std::string_view("file:").size()));
    files_[file.filename().string()] = std::make_unique<FileSource>(file, collector, known, note_);
  }
}

void DirectorySource::look() {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(path_)) {
    if (entry.is_regular_file() && !entry.path().filename().string().starts_with("."))
      found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  for (const fs::path& file : found) {
    auto& source = files_[file.filename().string()];
    if (source) continue;
    struct stat status {};
    const bool known = ::stat(file.c_str(), &status) != 0 ||
                       std::any_of(files_.begin(), files_.end(), [&](const auto& other) {
                         return other.second && other.second->follows(status);
                       });
    if (known) {
      files_.erase(file.filename().string());
      continue;
    }
    source = std::make_unique<FileSource>(file, file_collector(file), Progress{}, note_);
  }
}

void DirectorySource::collect(Batch& into) {
  constexpr auto kBetweenLooks = std::chrono::milliseconds(100);
  const auto now = std::chrono::steady_clock::now();
  if (now >= next_look_) {
    look();
    next_look_ = now + kBetweenLooks;
  }
  for (const auto& [name, file] : files_) file->collect(into);
}

bool DirectorySource::at_rest() const {
  return std::all_of(files_.begin(), files_.end(),
                     [](const auto& file) { return file.second->ended() || file.second->at_rest(); });
}

void DirectorySource::finish(Batch& into) {
  for (const auto& [name, file] : files_) file->finish(into);
}

}  // namespace assay::collect
