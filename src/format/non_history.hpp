// Files that people hand to a checker by mistake, recognised so that the error can name them and say what to
// do.
#pragma once

#include <optional>
#include <string_view>

namespace assay::format {

// What the file is and what to do instead, as the end of a sentence; nullopt if it may be a history.
std::optional<std::string_view> known_non_history(std::string_view bytes);

}  // namespace assay::format
