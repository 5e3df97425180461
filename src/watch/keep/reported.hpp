// Which violations were told already, so that a watch that starts again tells none twice. A violation is
// entered before it is told and marked afterwards: one that was entered only may not have reached anybody,
// and the next process says so.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "system/disk.hpp"

namespace assay::watch {

class Reported {
 public:
  // Kept in memory only.
  Reported() = default;
  // Kept in a file of the disk, which is read first. Throws InputError.
  explicit Reported(system::Disk& disk);

  bool has(std::uint64_t digest) const { return known_.contains(digest); }
  std::size_t size() const { return known_.size(); }
  // Entered, but perhaps never told, by an earlier process.
  std::vector<std::uint64_t> untold() const;

  // Both are safe on return. Throw StorageError; then it is not entered.
  void enter(std::uint64_t digest);
  void told(std::uint64_t digest);

 private:
  void append(char mark, std::uint64_t digest);

  std::map<std::uint64_t, bool> known_;  // digest -> whether it was told
  system::Disk* disk_ = nullptr;
  std::uint64_t bytes_ = 0;
};

}  // namespace assay::watch
