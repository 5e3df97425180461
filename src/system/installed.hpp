// Files that are installed with the program, found by the program's own place.
#pragma once

#include <filesystem>
#include <optional>

namespace assay::system {

// The installed program stands in bin/, and what belongs to it in folders beside that; in the build tree the
// programs stand where those folders do, or one folder deeper. `below` is such a path: "lib/assay/x.so".
std::optional<std::filesystem::path> find_installed(const std::filesystem::path& below);
// Where it would be in an installation, for messages.
std::filesystem::path installed_place(const std::filesystem::path& below);

}  // namespace assay::system
