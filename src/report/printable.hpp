// Texts of an input made safe to show. Keys, values, ids, paths and messages come from files that nobody
// vouches for: a control sequence in one must not reach a terminal, and broken UTF-8 must not reach a JSON
// reader.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "history/atom.hpp"

namespace assay::report {

// `text` with control characters escaped and invalid UTF-8 replaced by U+FFFD.
std::string printable(std::string_view text);

// An atom for a sentence: numbers bare, strings bare where they read as one word and quoted otherwise, long
// ones cut.
std::string printable(const Atom& atom);

// The first bytes of a text, and "…" if that is not all; never half of a character.
std::string cut(std::string text, std::size_t longest);

}  // namespace assay::report
