#include "watch/keep/reported.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "system/input_error.hpp"

namespace assay::watch {

namespace {

// "> DIGEST\n" when it is entered, "= DIGEST\n" when it was told; digests in 16 hexadecimal digits.
constexpr std::size_t kLine = 1 + 1 + 16 + 1;
constexpr const char* kFile = "reported";
constexpr char kEntered = '>', kTold = '=';

}  // namespace

Reported::Reported(system::Disk& disk) : disk_(&disk) {
  const std::string text = disk.read(kFile);
  // A last line that a crash cut off or garbled is as good as none: it was not safe, so nothing was told.
  for (; bytes_ + kLine <= text.size(); bytes_ += kLine) {
    const std::string_view line = std::string_view(text).substr(bytes_, kLine);
    std::uint64_t digest = 0;
    const char* const end = line.data() + kLine - 1;
    const auto [at, error] = std::from_chars(line.data() + 2, end, digest, 16);
    if (error != std::errc() || at != end || line.back() != '\n' ||
        (line[0] != kEntered && line[0] != kTold)) {
      if (bytes_ + kLine == text.size()) break;
      throw InputError(disk.shown(kFile), fmt::format("byte {}", bytes_),
                       "expected a line '> DIGEST' or '= DIGEST' of a reported violation");
    }
    known_[digest] = line[0] == kTold;
  }
  // From now on it is there, whoever created it, so that only its content has to be made safe.
  const std::vector<std::string> names = disk.names();
  try {
    if (std::find(names.begin(), names.end(), kFile) == names.end()) disk.create(kFile);
    disk.make_names_safe();
  } catch (const system::StorageError& error) {
    throw InputError(disk.shown(kFile), "", error.what());
  }
}

std::vector<std::uint64_t> Reported::untold() const {
  std::vector<std::uint64_t> found;
  for (const auto& [digest, told] : known_) {
    if (!told) found.push_back(digest);
  }
  return found;
}

void Reported::append(char mark, std::uint64_t digest) {
  if (disk_ == nullptr) return;
  disk_->write(kFile, fmt::format("{} {:016x}\n", mark, digest), bytes_);
  disk_->make_safe(kFile);
  bytes_ += kLine;
}

void Reported::enter(std::uint64_t digest) {
  append(kEntered, digest);
  known_[digest] = false;
}

void Reported::told(std::uint64_t digest) {
  append(kTold, digest);
  known_[digest] = true;
}

}  // namespace assay::watch
