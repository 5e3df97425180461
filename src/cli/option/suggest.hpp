// "Did you mean …?" for words that are almost right.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace assay::cli {

// " (did you mean 'X'?)" for the known word nearest to `word`, or "" if none is near.
std::string suggestion(std::string_view word, std::span<const std::string> known);

}  // namespace assay::cli
