#include "cli/check/places.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "cli/command.hpp"

namespace assay::cli {

namespace {

namespace fs = std::filesystem;

struct Kind {
  std::string_view option, ending;
  std::optional<std::string> CheckOptions::*place;
};

constexpr std::array<Kind, 3> kKinds = {{{"--report", ".html", &CheckOptions::report},
                                         {"--dot", ".dot", &CheckOptions::dot},
                                         {"--certificate", ".certificate", &CheckOptions::certificate}}};

void make_folder(const Kind& kind, const std::string& folder) {
  if (folder == "-" || folder.ends_with(kind.ending))
    throw UsageError(
        fmt::format("with several histories {} names a folder, in which each has its file; this is '{}'",
                    kind.option, folder));
  std::error_code error;
  fs::create_directory(folder, error);
  if (!fs::is_directory(folder))
    throw UsageError(fmt::format("{} {}: this is no folder and none can be made: {}", kind.option, folder,
                                 error ? error.message() : "there is a file of that name"));
}

}  // namespace

Places::Places(const CheckOptions& options) : options_(options) {
  for (const Kind& kind : kKinds) {
    if (const auto& folder = options.*kind.place) make_folder(kind, *folder);
  }
}

CheckOptions Places::options_for(const std::string& path) {
  CheckOptions out = options_;
  out.input.path = path;
  out.junit.reset();  // one file for all
  out.limits.threads = 1;
  const std::string wanted = as_file_name(path);
  std::string name = wanted;
  for (std::size_t n = 2; !taken_.insert(name).second; ++n) name = fmt::format("{}-{}", wanted, n);
  for (const Kind& kind : kKinds) {
    if (auto& place = out.*kind.place)
      place = (fs::path(*place) / (name + std::string(kind.ending))).string();
  }
  return out;
}

std::string as_file_name(const std::string& path) {
  // What is written beside a file of this name while it is not whole has a longer one.
  constexpr std::size_t kLongest = 150;
  std::string_view rest = path;
  rest.remove_prefix(std::min(rest.find_first_not_of("./"), rest.size()));
  while (rest.ends_with('/')) rest.remove_suffix(1);
  if (rest.size() > kLongest) rest.remove_prefix(rest.size() - kLongest);
  // Not in the middle of a character.
  while (!rest.empty() && (static_cast<unsigned char>(rest.front()) & 0xc0U) == 0x80) rest.remove_prefix(1);
  std::string name(rest.empty() ? "history" : rest);
  std::replace(name.begin(), name.end(), '/', '_');
  return name;
}

}  // namespace assay::cli
