#include "system/disk.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "system/folder.hpp"

namespace assay::system {

namespace fs = std::filesystem;

std::vector<std::string> FolderDisk::names() const {
  try {
    return names_in(folder_);
  } catch (const fs::filesystem_error& error) {
    throw StorageError(folder_.string() + ": cannot be listed: " + error.code().message());
  }
}

const Descriptor& FolderDisk::open(const std::string& name, int flags, const char* what) {
  Descriptor file(::open(path(name).c_str(), O_WRONLY | O_CLOEXEC | flags, 0666));
  if (!file) storage_failed(path(name), what);
  return unsafe_[name] = std::move(file);
}

std::string FolderDisk::read(const std::string& name, std::uint64_t offset, std::size_t size) const {
  const Descriptor file(::open(path(name).c_str(), O_RDONLY | O_CLOEXEC));
  if (!file && errno == ENOENT) return {};
  if (!file) storage_failed(path(name), "cannot be opened");
  std::string bytes(size, '\0');
  std::size_t got = 0;
  while (got < size) {
    const ssize_t n = ::pread(file.get(), bytes.data() + got, size - got, static_cast<off_t>(offset + got));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) storage_failed(path(name), "cannot be read");
    if (n == 0) break;
    got += static_cast<std::size_t>(n);
  }
  bytes.resize(got);
  return bytes;
}

std::uint64_t FolderDisk::size(const std::string& name) const {
  struct stat status {};
  if (::stat(path(name).c_str(), &status) == 0) return static_cast<std::uint64_t>(status.st_size);
  // Whoever takes a file for empty that cannot be looked at forgets what it holds.
  if (errno != ENOENT) storage_failed(path(name), "cannot be looked at");
  return 0;
}

void FolderDisk::create(const std::string& name) {
  const MutexLock lock(mutex_);
  open(name, O_CREAT | O_TRUNC, "cannot be created");
}

void FolderDisk::write(const std::string& name, std::string_view bytes, std::uint64_t offset) {
  const MutexLock lock(mutex_);
  const auto found = unsafe_.find(name);
  const Descriptor& file = found != unsafe_.end() ? found->second : open(name, O_CREAT, "cannot be opened");
  write_at(file, path(name), bytes, offset);
}

void FolderDisk::truncate(const std::string& name, std::uint64_t size) {
  if (::truncate(path(name).c_str(), static_cast<off_t>(size)) != 0)
    storage_failed(path(name), "cannot be cut");
}

void FolderDisk::remove(const std::string& name) {
  const MutexLock lock(mutex_);
  unsafe_.erase(name);
  if (::unlink(path(name).c_str()) != 0 && errno != ENOENT) storage_failed(path(name), "cannot be removed");
}

void FolderDisk::make_safe(const std::string& name) {
  const MutexLock lock(mutex_);
  // Also what another process wrote.
  if (!unsafe_.contains(name)) open(name, 0, "cannot be opened");
  const auto found = unsafe_.find(name);
  system::make_safe(found->second, path(name));
  unsafe_.erase(found);
}

}  // namespace assay::system
