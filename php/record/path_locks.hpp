// Locks on paths, held besides those on files. flock locks a file, and two files can have had one path: a program that
// removes its lock file while another has it open lets both into the same room. The log knows locks by their paths, so
// the recorder sees to it that a path is locked as the log says; a program that removes its lock files then excludes
// what it meant to exclude.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace assay::php {

class PathLocks {
 public:
  // The locks are on bytes of this file, which is only a place to lock: the kernel lets go when a process dies.
  explicit PathLocks(std::string file) : file_(std::move(file)) {}
  PathLocks(const PathLocks&) = delete;
  PathLocks& operator=(const PathLocks&) = delete;
  ~PathLocks() { release_all(); }

  // A handle that has the path already may change between shared and exclusive.
  bool acquire(std::string_view path, std::uint64_t handle, bool exclusive, bool wait);
  bool has(std::uint64_t handle) const { return held_.count(handle) != 0; }
  void release(std::uint64_t handle);
  void release_all();

 private:
  struct Held {
    std::string path;
    int descriptor;
  };
  bool is_held_by_another(std::string_view path, std::uint64_t handle) const;

  std::string file_;
  std::map<std::uint64_t, Held> held_;  // by handle
};

}  // namespace assay::php
