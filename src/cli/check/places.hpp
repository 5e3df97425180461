// Where the files go that are written for each of several histories: into a folder, one for each, under names that
// tell the history and do not meet.
#pragma once

#include <set>
#include <string>

#include "cli/check/asked.hpp"

namespace assay::cli {

class Places {
 public:
  // Makes the folders that are asked for. Throws UsageError where a name cannot be that of a folder.
  explicit Places(const CheckOptions& options);

  // The options with which the history at `path` is checked.
  CheckOptions options_for(const std::string& path);

 private:
  const CheckOptions& options_;
  std::set<std::string> taken_;
};

// "store/a/history.edn" as the name of a file: "store_a_history.edn".
std::string as_file_name(const std::string& path);

}  // namespace assay::cli
