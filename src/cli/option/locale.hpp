// What the terminal can show: its characters and its width.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace assay::cli {

// The environment asks for characters other than UTF-8: LC_ALL, LC_CTYPE or LANG, whichever is set first, names a
// locale without it, such as C.
bool wants_ascii();

// `text` as it is, or in ASCII where that is wanted: arrows and dots become "->" and "...", what else is not ASCII
// its code, \u{1f600}.
std::string in_locale(std::string text);
std::string ascii(std::string_view utf8);

// Columns of the terminal at standard error; 80 where it does not say.
std::size_t terminal_width();

// At most `columns` characters of it, the end cut.
std::string fitted(std::string_view utf8, std::size_t columns);

}  // namespace assay::cli
