// Which fragments are being decided at the moment, in a file that outlives the process: whoever finds it knows
// what the process before was at when it ended, and how often that has happened with the same fragments. It
// need not survive a crash of the machine, so nothing waits for the disk.
#pragma once

#include <cstdint>
#include <optional>

#include "system/disk.hpp"

namespace assay::watch {

class Working {
 public:
  // Marks nothing.
  Working() = default;
  // In a file of the disk. Throws StorageError.
  explicit Working(system::Disk& disk);

  struct Left {
    std::uint64_t first = 0, end = 0;  // fragments
    std::uint64_t times = 0;           // how often a process has ended while it was at them
  };
  // What the process before left behind; nothing if it ended between rounds.
  const std::optional<Left>& left() const { return left_; }

  void begin(std::uint64_t first, std::uint64_t end);
  void done();

 private:
  void write(const Left& now);

  system::Disk* disk_ = nullptr;
  std::optional<Left> left_;
};

}  // namespace assay::watch
