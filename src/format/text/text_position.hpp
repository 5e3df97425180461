// Where in a text a byte stands, for error messages. Computed only when an error is raised, so that no reader
// counts lines while it works.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace assay::format {

// "line 12, column 5", both from 1. `first_line` is the number of the line that `text` starts with.
std::string text_position(std::string_view text, std::size_t offset, std::size_t first_line = 1);

// What stands at a byte, short enough for a message: the end of the input, one character, or the start of a
// word.
std::string what_stands_at(std::string_view text, std::size_t offset);

}  // namespace assay::format
