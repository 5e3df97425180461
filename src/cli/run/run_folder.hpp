// Where a run leaves what it made: a new folder for each, so that none overwrites what another found.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace assay::cli {

class RunFolder {
 public:
  // Makes assay-runs/DATABASE-WORKLOAD-TIME below the current folder; of two in one second the later gets a number.
  // Throws std::filesystem::filesystem_error.
  RunFolder(std::string_view database, std::string_view workload);
  // Removes it if it is empty: the run came to nothing.
  ~RunFolder();
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;

  std::string file(std::string_view name) const { return (path_ / name).string(); }
  // The link assay-runs/latest leads here from now on. What is there and is no link stays, and there is no such link.
  void become_latest() const;

 private:
  std::filesystem::path path_;
};

}  // namespace assay::cli
