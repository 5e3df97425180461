// A temporary folder that also goes away when its owner is killed: by the next one of the same name. While its
// owner lives it holds a lock on a file in the folder, which the system lets go of when the owner ends, however
// that happens. A folder without that file, with one that somebody else made, or with one that is locked is
// left alone.
#pragma once

#include <filesystem>
#include <string>

#include "system/descriptor.hpp"
#include "system/temporary_folder.hpp"

namespace assay::system {

class SweptFolder {
 public:
  // Removes the folders that begin with `name` and whose owners are dead. Throws
  // std::filesystem::filesystem_error.
  explicit SweptFolder(const std::string& name);

  const TemporaryFolder& folder() const { return folder_; }

 private:
  TemporaryFolder folder_;
  Descriptor lock_;
};

}  // namespace assay::system
