// A folder of files that must outlive a crash, as whoever keeps them sees it: the disk of this machine, or one
// that a test makes up, fills and lets crash. Files go by their names in the folder. What is written is there
// after a crash only once it was made safe, and so is that there is a file of this name, or none any more.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "system/descriptor.hpp"
#include "system/durable_file.hpp"
#include "system/thread_safety.hpp"

namespace assay::system {

class Disk {
 public:
  Disk() = default;
  virtual ~Disk() = default;
  Disk(const Disk&) = delete;
  Disk& operator=(const Disk&) = delete;

  // For messages.
  virtual std::string shown(const std::string& name) const = 0;

  // These throw StorageError, as all that follow.
  virtual std::vector<std::string> names() const = 0;
  // At most `size` bytes from `offset` on; fewer at the end, none where there is no such file.
  virtual std::string read(const std::string& name, std::uint64_t offset, std::size_t size) const = 0;
  virtual std::uint64_t size(const std::string& name) const = 0;
  std::string read(const std::string& name) const { return read(name, 0, size(name)); }

  // After a failure it may have happened in part, and may be tried again.
  // Creates an empty file, or empties the one that is there.
  virtual void create(const std::string& name) = 0;
  virtual void write(const std::string& name, std::string_view bytes, std::uint64_t offset) = 0;
  virtual void truncate(const std::string& name, std::uint64_t size) = 0;
  virtual void remove(const std::string& name) = 0;
  virtual void make_safe(const std::string& name) = 0;
  // Which files there are.
  virtual void make_names_safe() = 0;
  // Either the old content or the new is there, whatever happens meanwhile; safe on return.
  virtual void replace(const std::string& name, std::string_view bytes) = 0;
};

// A folder of this machine, which must be there.
class FolderDisk : public Disk {
 public:
  explicit FolderDisk(std::filesystem::path folder) : folder_(std::move(folder)) {}

  std::string shown(const std::string& name) const override { return path(name).string(); }
  std::vector<std::string> names() const override;
  using Disk::read;
  std::string read(const std::string& name, std::uint64_t offset, std::size_t size) const override;
  std::uint64_t size(const std::string& name) const override;
  void create(const std::string& name) override;
  void write(const std::string& name, std::string_view bytes, std::uint64_t offset) override;
  void truncate(const std::string& name, std::uint64_t size) override;
  void remove(const std::string& name) override;
  void make_safe(const std::string& name) override;
  void make_names_safe() override { make_folder_safe(folder_); }
  void replace(const std::string& name, std::string_view bytes) override { replace_file(path(name), bytes); }

 private:
  std::filesystem::path path(const std::string& name) const { return folder_ / name; }
  const Descriptor& open(const std::string& name, int flags, const char* what) REQUIRES_LOCK(mutex_);

  std::filesystem::path folder_;
  Mutex mutex_;
  // What was written and is not safe yet stays open: a disk tells its errors to whoever has the file open.
  std::map<std::string, Descriptor, std::less<>> unsafe_ GUARDED_BY(mutex_);
};

}  // namespace assay::system
