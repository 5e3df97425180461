#include "collect/directory_source.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "system/folder.hpp"
#include "system/input_error.hpp"

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
  std::vector<std::string> found = system::names_in(path_);
  std::sort(found.begin(), found.end());
  for (const std::string& name : found) {
    if (name.starts_with(".") || files_.contains(name)) continue;
    const fs::path file = path_ / name;
    struct stat status {};
    const bool there = ::stat(file.c_str(), &status) == 0;
    // One that is left out unseen may be the one that would tell.
    if (!there && errno != ENOENT)
      throw InputError(file.string(), "", std::string("cannot be looked at: ") + std::strerror(errno));
    if (!there || !S_ISREG(status.st_mode)) continue;
    const bool known = std::any_of(files_.begin(), files_.end(),
                                   [&](const auto& other) { return other.second->follows(status); });
    if (known) continue;
    files_.emplace(name, std::make_unique<FileSource>(file, file_collector(file), Progress{}, note_));
  }
}

void DirectorySource::collect(Batch& into) {
  constexpr auto kBetweenLooks = std::chrono::milliseconds(100);
  const auto now = std::chrono::steady_clock::now();
  if (now >= next_look_) {
    look();
    next_look_ = now + kBetweenLooks;
  }
  auto file = files_.begin();
  into.share(files_.size(), [&](std::size_t) { (file++)->second->collect(into); });
}

bool DirectorySource::at_rest() const {
  return std::all_of(files_.begin(), files_.end(),
                     [](const auto& file) { return file.second->ended() || file.second->at_rest(); });
}

void DirectorySource::finish(Batch& into) {
  for (const auto& [name, file] : files_) file->finish(into);
}

}  // namespace assay::collect
