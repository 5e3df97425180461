// Why a watch may not say "holds": parts of the history that are known to be missing or in dispute. Kept in a
// file of the checkpoint folder, a line each: the collector whose next fragment settles it, a tab, and why.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "collect/source.hpp"
#include "system/disk.hpp"

namespace assay::watch {

class Doubts {
 public:
  // Kept in memory only.
  Doubts() = default;
  // Kept in a file of the disk, which is read first.
  explicit Doubts(system::Disk& disk);

  bool empty() const { return known_.empty(); }
  const std::vector<collect::Doubt>& all() const { return known_; }
  // Both are safe on return, and throw StorageError; then nothing has changed. What is known is not added again.
  void add(const collect::Doubt& doubt);
  // A fragment of this collector was taken.
  void settle(std::string_view collector);

 private:
  void replace(std::vector<collect::Doubt> doubts);

  system::Disk* disk_ = nullptr;
  std::vector<collect::Doubt> known_;
};

}  // namespace assay::watch
