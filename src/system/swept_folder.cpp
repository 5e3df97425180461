#include "system/swept_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace assay::system {

namespace fs = std::filesystem;

namespace {

constexpr const char* kOwner = ".assay-owner";

// Locked before it has its name: nobody finds one of a living owner unlocked.
Descriptor owner_of(const fs::path& folder) {
  const fs::path unfinished = folder / ".assay-owner-unfinished";
  Descriptor file(::open(unfinished.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file || ::flock(file.get(), LOCK_EX | LOCK_NB) != 0 ||
      ::rename(unfinished.c_str(), (folder / kOwner).c_str()) != 0) {
    throw fs::filesystem_error("cannot create a file", unfinished,
                               std::error_code(errno, std::generic_category()));
  }
  return file;
}

// Holds the lock while it removes, so that two sweepers do not meet. Links are not followed: neither to the
// folder, nor to the file, nor, by remove_all, to anything below.
void remove_if_owner_is_dead(const fs::path& folder) {
  const Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!opened) return;
  const Descriptor owner(::openat(opened.get(), kOwner, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status {};
  if (!owner || ::fstat(owner.get(), &status) != 0) return;
  if (!S_ISREG(status.st_mode) || status.st_uid != ::geteuid() || status.st_nlink != 1) return;
  if (::flock(owner.get(), LOCK_EX | LOCK_NB) != 0) return;
  std::error_code ignored;  // what cannot be removed now may be later
  fs::remove_all(folder, ignored);
}

// The name, a dash and six letters of mkdtemp.
bool is_named(const std::string& found, const std::string& name) {
  return found.size() == name.size() + 7 && found.starts_with(name + "-");
}

void sweep(const std::string& name) {
  std::error_code error;
  for (fs::directory_iterator entry(fs::temp_directory_path(), error), end; !error && entry != end;
       entry.increment(error)) {
    if (is_named(entry->path().filename().string(), name)) remove_if_owner_is_dead(entry->path());
  }
}

}  // namespace

SweptFolder::SweptFolder(const std::string& name)
    : folder_((sweep(name), name)), lock_(owner_of(folder_.path())) {}

}  // namespace assay::system
