// Follows every file of a folder, those that appear later too: one collector per file, as with per-session
// logs. Files whose name starts with a dot are left alone.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "collect/file_source.hpp"

namespace assay::collect {

class DirectorySource : public Source {
 public:
  // Throws InputError if there is no such folder.
  DirectorySource(std::filesystem::path path, const ProgressOf& progress, Note note);

  void collect(Batch& into) override;
  bool ended() const override { return false; }
  bool at_rest() const override;
  void finish(Batch& into) override;

 private:
  void look();

  std::filesystem::path path_;
  ProgressOf progress_;
  Note note_;
  std::map<std::string, std::unique_ptr<FileSource>> files_;  // by name
  std::chrono::steady_clock::time_point next_look_{};
};

// The collector of the file at `path`.
std::string file_collector(const std::filesystem::path& path);

}  // namespace assay::collect
