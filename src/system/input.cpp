#include "system/input.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "memory/huge_pages.hpp"
#include "system/descriptor.hpp"
#include "system/folder.hpp"
#include "system/input_error.hpp"

namespace assay::system {

namespace {

[[noreturn]] void fail(const std::string& path, const char* doing) {
  throw InputError(path, "", std::string(doing) + ": " + std::strerror(errno));
}

class FileOfKnownSize : public FileBytes {
 public:
  explicit FileOfKnownSize(ZeroedArray<char> bytes) : bytes_(std::move(bytes)) {}
  std::string_view bytes() const override {
    return bytes_.size() == 0 ? std::string_view() : std::string_view(&bytes_[0], bytes_.size());
  }

 private:
  ZeroedArray<char> bytes_;
};

class Stream : public FileBytes {
 public:
  explicit Stream(std::string bytes) : bytes_(std::move(bytes)) {}
  std::string_view bytes() const override { return bytes_; }

 private:
  std::string bytes_;
};

// As read(2), but it goes on after a signal. Throws InputError.
std::size_t read_some(int fd, char* into, std::size_t room, const std::string& path) {
  for (;;) {
    const ssize_t got = ::read(fd, into, room);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(path, "cannot read");
    return static_cast<std::size_t>(got);
  }
}

// What is written behind `size` meanwhile is not looked at.
ZeroedArray<char> read_all_of(int fd, std::size_t size, const std::string& path) {
  ZeroedArray<char> bytes(size);
  for (std::size_t used = 0; used < size;) {
    const std::size_t got = read_some(fd, &bytes[used], size - used, path);
    if (got == 0) {
      throw InputError(path, fmt::format("byte {}", used),
                       fmt::format("the file became shorter while it was read: it had {} bytes", size));
    }
    used += got;
  }
  return bytes;
}

std::string read_to_end(int fd, const std::string& path) {
  std::string bytes(std::size_t{1} << 16, '\0');
  std::size_t used = 0;
  while (const std::size_t got = read_some(fd, bytes.data() + used, bytes.size() - used, path)) {
    used += got;
    if (used == bytes.size()) bytes.resize(bytes.size() * 2);
  }
  bytes.resize(used);
  return bytes;
}

std::unique_ptr<FileBytes> bytes_of(int fd, const std::string& path) {
  struct stat status {};
  if (::fstat(fd, &status) != 0) fail(path, "cannot read");
  const off_t at = S_ISREG(status.st_mode) ? ::lseek(fd, 0, SEEK_CUR) : off_t{-1};
  if (at < 0 || status.st_size <= at) return std::make_unique<Stream>(read_to_end(fd, path));
  return std::make_unique<FileOfKnownSize>(
      read_all_of(fd, static_cast<std::size_t>(status.st_size - at), path));
}

void add_file(OpenedInput& opened, const std::string& path, const std::string& shown) {
  const Descriptor file(path == "-" ? ::dup(STDIN_FILENO) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) fail(shown, "cannot open");
  opened.owners.push_back(bytes_of(file.get(), shown));
  opened.input.files.push_back({shown, opened.owners.back()->bytes()});
}

void add_directory(OpenedInput& opened, const std::string& path) {
  opened.input.directory = true;
  namespace fs = std::filesystem;
  std::vector<std::string> names;
  try {
    for (std::string& name : names_in(path)) {
      // A file that vanished between listing and looking is not there; one that cannot be looked at is.
      if (name.front() != '.' && fs::is_regular_file(fs::path(path) / name)) names.push_back(std::move(name));
    }
  } catch (const fs::filesystem_error& error) {
    throw InputError(error.path1().string(), "", "cannot be looked at: " + error.code().message());
  }
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) {
    const std::string file = (fs::path(path) / name).string();
    add_file(opened, file, file);
  }
}

}  // namespace

OpenedInput open_input(const std::string& path) {
  OpenedInput opened;
  if (path == "-") {
    opened.input.path = "standard input";
    add_file(opened, path, opened.input.path);
    return opened;
  }
  opened.input.path = path;
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found) {
    throw InputError(path, "", "there is no such file or directory");
  }
  if (error) throw InputError(path, "", "cannot open: " + error.message());
  if (std::filesystem::is_directory(status)) {
    add_directory(opened, path);
  } else {
    add_file(opened, path, path);
  }
  return opened;
}

}  // namespace assay::system
