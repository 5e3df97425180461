#include "system/temporary_folder.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <system_error>

namespace assay::system {

namespace {

// The folders that are there, for a signal handler to see: kept here by value, since a handler must never remove what
// the memory of a path was used for next. A version is odd where a folder is noted; who saw the same odd one before
// and after has read one folder's path. One that is too long or finds no place is only left behind.
constexpr std::size_t kLongest = 240;
struct Place {
  std::atomic<std::uint64_t> version = 0;
  std::atomic<bool> taken = false;
  std::array<std::atomic<char>, kLongest> path{};
};
std::array<Place, 64> places;
static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "read in a signal handler");

Place* note(const std::string& path) {
  for (Place& place : places) {
    if (path.size() >= place.path.size()) return nullptr;
    if (place.taken.exchange(true)) continue;
    for (std::size_t i = 0; i <= path.size(); ++i) place.path[i] = path.c_str()[i];
    ++place.version;
    return &place;
  }
  return nullptr;
}

void forget(Place* place) {
  if (place == nullptr) return;
  ++place->version;
  place->taken = false;
}

void remove_now(const char* path) {
  const pid_t remover = fork();
  if (remover == 0) {
    execl("/bin/rm", "rm", "-rf", "--", path, nullptr);
    _exit(127);
  }
  if (remover > 0) waitpid(remover, nullptr, 0);
}

}  // namespace

void remove_temporary_folders() {
  for (const Place& place : places) {
    std::array<char, kLongest> path;
    const std::uint64_t version = place.version;
    if (version % 2 == 0) continue;
    for (std::size_t i = 0; i < path.size(); ++i) path[i] = place.path[i];
    if (place.version == version) remove_now(path.data());
  }
}

TemporaryFolder::TemporaryFolder(const std::string& name)
    : TemporaryFolder(std::filesystem::temp_directory_path(), name) {}

TemporaryFolder::TemporaryFolder(const std::filesystem::path& parent, const std::string& name) {
  std::string path = (parent / (name + "-XXXXXX")).string();
  if (mkdtemp(path.data()) == nullptr) {
    throw std::filesystem::filesystem_error("cannot create a folder", path,
                                            std::error_code(errno, std::generic_category()));
  }
  path_ = path;
  noted_ = note(path_.string());
}

TemporaryFolder::~TemporaryFolder() {
  forget(static_cast<Place*>(noted_));
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace assay::system
