#include "cli/destination.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <system_error>
#include <vector>

#include "cli/command.hpp"
#include "cli/names.hpp"
#include "cli/output.hpp"

namespace assay::cli {

namespace fs = std::filesystem;

namespace {

// Removes what was written unless it reached its place.
class Unfinished {
 public:
  explicit Unfinished(fs::path path) : path_(std::move(path)) {}
  ~Unfinished() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;
  const fs::path& path() const { return path_; }
  void move_to(const fs::path& place) {
    fs::rename(path_, place);
    path_.clear();
  }

 private:
  fs::path path_;
};

}  // namespace

void write_output(const History& history, const std::string& out, const std::string& format) {
  const format::Format& target = format_named(format);
  if (target.write == nullptr)
    throw UsageError(fmt::format("format '{}' can be read but not written", target.name));
  if (out == "-") {
    if (target.directory)
      throw UsageError(fmt::format("format '{}' is a directory; it needs a path", target.name));
    // Writers make files; standard output may be anything.
    const Unfinished whole(fs::temp_directory_path() / fmt::format("assay-output-{}", getpid()));
    format::write_history(history, whole.path(), target.name);
    std::ifstream in(whole.path(), std::ios::binary);
    std::vector<char> part(std::size_t{1} << 16);
    while (in.read(part.data(), static_cast<std::streamsize>(part.size())) || in.gcount() > 0) {
      print({part.data(), static_cast<std::size_t>(in.gcount())});
    }
    return;
  }
  const fs::file_status there = fs::status(out);
  if (fs::is_directory(there) && (!target.directory || !fs::is_empty(out))) {
    throw UsageError(fmt::format("{} is a directory{}", out, target.directory ? " that is not empty" : ""));
  }
  if (target.directory && fs::is_regular_file(there)) {
    throw UsageError(fmt::format("{} is a file, and format '{}' is a directory", out, target.name));
  }
  if (fs::exists(there) && !fs::is_directory(there) && !fs::is_regular_file(there)) {
    format::write_history(history, out, target.name);  // a pipe or a device
    return;
  }
  fs::path place(out);
  if (!place.has_filename()) place = place.parent_path();  // "logs/" names the directory logs
  Unfinished unfinished(fs::path(place).concat(fmt::format(".unfinished-{}", getpid())));
  format::write_history(history, unfinished.path(), target.name);
  unfinished.move_to(place);
}

void can_be_written(const std::string& out) {
  if (out == "-") return;
  std::error_code unreachable;
  if (fs::is_directory(out, unreachable)) throw UsageError(fmt::format("{} is a directory", out));
  const fs::path folder = fs::path(out).parent_path();
  if (!folder.empty() && !fs::is_directory(folder, unreachable))
    throw UsageError(fmt::format("{} cannot be written: there is no folder {}", out, folder.string()));
}

void write_text(const std::string& text, const std::string& out) {
  if (out == "-") return print(text);
  const fs::file_status there = fs::status(out);
  if (fs::is_directory(there)) throw UsageError(fmt::format("{} is a directory", out));
  const auto write = [&](const fs::path& path) {
    std::ofstream file(path, std::ios::binary);
    file << text;
    file.flush();
    if (!file) throw UsageError(fmt::format("{} cannot be written", out));
  };
  if (fs::exists(there) && !fs::is_regular_file(there)) return write(out);  // a pipe or a device
  Unfinished unfinished(fs::path(out).concat(fmt::format(".unfinished-{}", getpid())));
  write(unfinished.path());
  unfinished.move_to(out);
}

}  // namespace assay::cli
