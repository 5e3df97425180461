// Words of the command line turned into what they name, with an error that helps where they name nothing.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "format/format.hpp"
#include "level/level.hpp"

namespace CLI {
class Option;
}

namespace assay::cli {

std::vector<std::string> level_names();   // canonical ones
std::vector<std::string> format_names();  // readable or writable

// All three throw UsageError.
Level level_named(std::string_view name);
const format::Format& format_named(std::string_view name);
// "250ms", "1.5s", "10us", "5ns", "2m", "1h"; 0 needs no unit.
std::chrono::nanoseconds duration_of(const std::string& text);
// The same for an option that counts in seconds: there a number without a unit is seconds. What it sets is a number of
// seconds.
CLI::Option* in_seconds(CLI::Option* option);

}  // namespace assay::cli
