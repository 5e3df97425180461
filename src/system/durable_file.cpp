#include "system/durable_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "system/input_error.hpp"

namespace assay::system {

namespace fs = std::filesystem;

void storage_failed(const fs::path& path, const char* what) {
  throw StorageError(fmt::format("{}: {}: {}", path.string(), what, std::strerror(errno)));
}

void write_at(const Descriptor& file, const fs::path& path, std::string_view bytes, std::uint64_t offset) {
  while (!bytes.empty()) {
    const ssize_t n = ::pwrite(file.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) storage_failed(path, "cannot write");
    bytes.remove_prefix(static_cast<std::size_t>(n));
    offset += static_cast<std::uint64_t>(n);
  }
}

void make_safe(const Descriptor& file, const fs::path& path) {
  if (::fdatasync(file.get()) != 0) storage_failed(path, "cannot be made safe");
}

void make_folder_safe(const fs::path& folder) {
  const Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened || ::fsync(opened.get()) != 0) storage_failed(folder, "cannot be made safe");
}

void replace_file(const fs::path& path, std::string_view bytes) {
  const fs::path unfinished = path.string() + ".unfinished";
  try {
    ::unlink(unfinished.c_str());  // of one that was killed; a link that somebody laid is not followed
    const Descriptor file(::open(unfinished.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (!file) storage_failed(unfinished, "cannot be created");
    write_at(file, unfinished, bytes, 0);
    make_safe(file, unfinished);
    if (::rename(unfinished.c_str(), path.c_str()) != 0) storage_failed(path, "cannot be put in place");
  } catch (const StorageError&) {
    ::unlink(unfinished.c_str());  // a full disk needs the room
    throw;
  }
  make_folder_safe(path.has_parent_path() ? path.parent_path() : fs::path("."));
}

HeldFolder::HeldFolder(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) throw InputError(path.string(), "", "cannot be created: " + error.message());
  const fs::path file = path / "lock";
  lock_ = Descriptor(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (!lock_) throw InputError(path.string(), "", fmt::format("cannot be written: {}", std::strerror(errno)));
  int held = 0;
  do {
    held = ::flock(lock_.get(), LOCK_EX | LOCK_NB);
  } while (held != 0 && errno == EINTR);
  if (held == 0) return;
  if (errno == EWOULDBLOCK)
    throw InputError(path.string(), "", "another watch is using this checkpoint folder");
  throw InputError(path.string(), "", fmt::format("cannot be locked: {}", std::strerror(errno)));
}

}  // namespace assay::system
