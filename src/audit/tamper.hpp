// Lies, one at a time: changes to a trace or to reports such as a misbehaving server would leave, for trying
// out an audit. Each has a name; where in the files it is planted is drawn from a seed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

#include "audit/draft.hpp"

namespace assay::audit {

struct Lie {
  std::string_view name;
  std::string_view description;
  // Group reports are advice: a lie about them must change nothing.
  bool harmless;
  // False, and no change, if there is no place for it. Draws are taken from `seed`.
  bool (*plant)(Draft& draft, std::uint64_t seed);
  // It has a place only where several clients get in each other's way, or see what others do not.
  bool needs_many_clients = false;
};

std::span<const Lie> lies();
// Null if there is none of this name.
const Lie* find_lie(std::string_view name);

struct TamperedFiles {
  std::filesystem::path trace, reports;
};
// Plants a lie in copies of a trace and a folder of reports, which are put in `folder`. Throws InputError if
// the files are wrong or have no place for it; std::filesystem::filesystem_error.
TamperedFiles tamper_files(const Lie& lie, std::uint64_t seed, const std::filesystem::path& trace,
                           const std::filesystem::path& reports, const std::filesystem::path& folder);

}  // namespace assay::audit
