// What is in a folder. Not by std::filesystem's iterators: where memory runs out in the middle of one, they end the
// process, and nobody is asked.
#pragma once

#include <dirent.h>

#include <cerrno>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace assay::system {

// In no particular order. Throws std::filesystem::filesystem_error.
inline std::vector<std::string> names_in(const std::filesystem::path& folder) {
  const auto fail = [&] {
    throw std::filesystem::filesystem_error("cannot list the folder", folder,
                                            std::error_code(errno, std::generic_category()));
  };
  struct Close {
    void operator()(DIR* opened) const { ::closedir(opened); }
  };
  const std::unique_ptr<DIR, Close> opened(::opendir(folder.c_str()));
  if (!opened) fail();
  std::vector<std::string> names;
  for (;;) {
    errno = 0;
    const dirent* const entry = ::readdir(opened.get());
    if (entry == nullptr && errno != 0) fail();
    if (entry == nullptr) return names;
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
}

}  // namespace assay::system
