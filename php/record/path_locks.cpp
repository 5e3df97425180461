#include "record/path_locks.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace assay::php {

namespace {

// Two paths of one number only wait for each other without need.
off_t place_of(std::string_view path) {
  std::uint64_t hash = 14695981039346656037U;
  for (const char c : path) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return static_cast<off_t>(hash >> 2);
}

bool lock(int descriptor, std::string_view path, bool exclusive, bool wait) {
  struct flock range {};
  range.l_type = exclusive ? F_WRLCK : F_RDLCK;
  range.l_whence = SEEK_SET;
  range.l_start = place_of(path);
  range.l_len = 1;
  int result = 0;
  do {
    result = fcntl(descriptor, wait ? F_OFD_SETLKW : F_OFD_SETLK, &range);
  } while (result != 0 && errno == EINTR);
  return result == 0;
}

}  // namespace

bool PathLocks::is_held_by_another(std::string_view path, std::uint64_t handle) const {
  for (const auto& [other, held] : held_) {
    if (other != handle && held.path == path) return true;
  }
  return false;
}

bool PathLocks::acquire(std::string_view path, std::uint64_t handle, bool exclusive, bool wait) {
  // To wait for oneself would be to wait for ever.
  const bool may_wait = wait && !is_held_by_another(path, handle);
  const auto known = held_.find(handle);
  if (known != held_.end()) return lock(known->second.descriptor, path, exclusive, may_wait);
  const int descriptor = ::open(file_.c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor < 0) return false;
  if (!lock(descriptor, path, exclusive, may_wait)) {
    ::close(descriptor);
    return false;
  }
  held_.emplace(handle, Held{std::string(path), descriptor});
  return true;
}

void PathLocks::release(std::uint64_t handle) {
  const auto known = held_.find(handle);
  if (known == held_.end()) return;
  ::close(known->second.descriptor);
  held_.erase(known);
}

void PathLocks::release_all() {
  while (!held_.empty()) release(held_.begin()->first);
}

}  // namespace assay::php
