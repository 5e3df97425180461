#include "watch/keep/working.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace assay::watch {

namespace {

using Numbers = std::array<std::uint64_t, 3>;
constexpr const char* kFile = "working";

}  // namespace

Working::Working(system::Disk& disk) : disk_(&disk) {
  const std::vector<std::string> names = disk.names();
  if (std::find(names.begin(), names.end(), kFile) == names.end()) disk.create(kFile);
  Numbers numbers{};
  const std::string bytes = disk.read(kFile, 0, sizeof numbers);
  if (bytes.size() != sizeof numbers) return;
  std::memcpy(numbers.data(), bytes.data(), sizeof numbers);
  if (numbers[1] > numbers[0]) left_ = Left{numbers[0], numbers[1], numbers[2]};
}

// A disk that is full is told by the log; a mark that is missing only leaves a death untold.
void Working::write(const Left& now) {
  if (disk_ == nullptr) return;
  const Numbers numbers{now.first, now.end, now.times};
  try {
    disk_->write(kFile, {reinterpret_cast<const char*>(numbers.data()), sizeof numbers}, 0);
  } catch (const system::StorageError&) {
    return;
  }
}

void Working::begin(std::uint64_t first, std::uint64_t end) {
  const bool again = left_ && left_->first < end && first < left_->end;
  write({first, end, again ? left_->times + 1 : 1});
}

void Working::done() {
  write({});
}

}  // namespace assay::watch
