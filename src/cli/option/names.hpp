// Words of the command line turned into what they name, with an error that helps where they name nothing.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "format/format.hpp"
#include "level/level.hpp"

namespace assay::cli {

std::vector<std::string> level_names();   // canonical ones
std::vector<std::string> format_names();  // readable or writable

// All three throw UsageError.
Level level_named(std::string_view name);
const format::Format& format_named(std::string_view name);
// "250ms", "1.5s", "10us", "5ns"; 0 needs no unit.
std::chrono::nanoseconds duration_of(const std::string& text);

}  // namespace assay::cli
