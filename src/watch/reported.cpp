#include "watch/reported.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <iterator>

#include "history/error.hpp"
#include "watch/storage.hpp"

namespace assay::watch {

namespace fs = std::filesystem;

namespace {

// "> DIGEST\n" when it is entered, "= DIGEST\n" when it was told; digests in 16 hexadecimal digits.
constexpr std::size_t kLine = 1 + 1 + 16 + 1;
constexpr char kEntered = '>', kTold = '=';

}  // namespace

Reported::Reported(const fs::path& file) : path_(file) {
  std::ifstream in(file, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(in), {});
  // A line that a crash cut off is as good as none: it was not safe, so nothing was told.
  for (; bytes_ + kLine <= text.size(); bytes_ += kLine) {
    const std::string_view line = std::string_view(text).substr(bytes_, kLine);
    std::uint64_t digest = 0;
    const char* const end = line.data() + kLine - 1;
    const auto [at, error] = std::from_chars(line.data() + 2, end, digest, 16);
    if (error != std::errc() || at != end || line.back() != '\n' ||
        (line[0] != kEntered && line[0] != kTold)) {
      throw InputError(file.string(), fmt::format("byte {}", bytes_),
                       "expected a line '> DIGEST' or '= DIGEST' of a reported violation");
    }
    known_[digest] = line[0] == kTold;
  }
  file_ = collect::Descriptor(::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
  if (!file_) throw InputError(file.string(), "", fmt::format("cannot be written: {}", std::strerror(errno)));
}

std::vector<std::uint64_t> Reported::untold() const {
  std::vector<std::uint64_t> found;
  for (const auto& [digest, told] : known_) {
    if (!told) found.push_back(digest);
  }
  return found;
}

void Reported::append(char mark, std::uint64_t digest) {
  if (!file_) return;
  write_at(file_, path_, fmt::format("{} {:016x}\n", mark, digest), bytes_);
  make_safe(file_, path_);
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
