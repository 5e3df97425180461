#include "cli/run/run_folder.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <system_error>

namespace assay::cli {

namespace {

namespace fs = std::filesystem;

constexpr const char* kRuns = "assay-runs";
constexpr const char* kLatest = "latest";

// An address may hold anything; a folder's name does not.
std::string plain(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool fits = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
    if (fits) out += c;
  }
  return out;
}

}  // namespace

RunFolder::RunFolder(std::string_view database, std::string_view workload) {
  fs::create_directories(kRuns);
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  const std::string name =
      fmt::format("{}-{}-{:%Y%m%dT%H%M%SZ}", plain(database), plain(workload), fmt::gmtime(now));
  path_ = fs::path(kRuns) / name;
  for (int number = 2; !fs::create_directory(path_); ++number)
    path_ = fs::path(kRuns) / fmt::format("{}-{}", name, number);
}

RunFolder::~RunFolder() {
  std::error_code ignored;
  fs::remove(path_, ignored);  // only if it is empty
}

void RunFolder::become_latest() const {
  const fs::path latest = fs::path(kRuns) / kLatest;
  std::error_code failed;
  const fs::file_status there = fs::symlink_status(latest, failed);
  if (fs::exists(there) && !fs::is_symlink(there)) return;
  const fs::path next = fs::path(kRuns) / fmt::format("{}-{}", kLatest, getpid());
  fs::create_symlink(path_.filename(), next, failed);
  if (failed) return;
  fs::rename(next, latest, failed);  // at once: there is always one
  if (failed) fs::remove(next, failed);
}

}  // namespace assay::cli
