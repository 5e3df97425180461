#include "cli/option/destination.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <system_error>
#include <vector>

#include "cli/command.hpp"
#include "cli/option/names.hpp"
#include "cli/option/output.hpp"
#include "system/temporary_folder.hpp"

namespace assay::cli {

namespace fs = std::filesystem;

namespace {

// What is being written, in a folder that nobody else can enter: a link that somebody laid in the way is not
// followed, and what is there stays as it is until the new is whole. Vanishes unless it reached its place.
class Unfinished {
 public:
  explicit Unfinished(const fs::path& place)
      : place_(place),
        folder_(place.has_parent_path() ? place.parent_path() : fs::path("."),
                place.filename().string() + ".unfinished") {}

  fs::path path() const { return folder_ / "new"; }
  void move_to_place() { fs::rename(path(), place_); }

 private:
  fs::path place_;
  system::TemporaryFolder folder_;
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
    const system::TemporaryFolder folder("assay-output");
    const fs::path whole = folder / "whole";
    format::write_history(history, whole, target.name);
    std::ifstream in(whole, std::ios::binary);
    std::vector<char> part(std::size_t{1} << 16);
    while (in.read(part.data(), static_cast<std::streamsize>(part.size())) || in.gcount() > 0) {
      print({part.data(), static_cast<std::size_t>(in.gcount())});
    }
    if (!in.eof()) throw UsageError(fmt::format("{} cannot be read", whole.string()));
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
  Unfinished unfinished(place);
  format::write_history(history, unfinished.path(), target.name);
  unfinished.move_to_place();
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
  Unfinished unfinished(out);
  write(unfinished.path());
  unfinished.move_to_place();
}

}  // namespace assay::cli
