// Texts of an input made safe to show. Keys, values, ids, paths and messages come from files that nobody
// vouches for: a control sequence in one must not reach a terminal, a mark that turns the direction of
// writing must not put words in another order than they were said, and broken UTF-8 must not reach a JSON
// reader.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "history/atom.hpp"

namespace assay::report {

// `text` with control characters and marks of direction escaped and invalid UTF-8 replaced by U+FFFD.
std::string printable(std::string_view text);

// An atom for a sentence: numbers bare, strings bare where they read as one word and quoted otherwise. Of a
// long one its beginning and its end, and a digest of all of it: what is different looks different.
std::string printable(const Atom& atom);

// The first bytes of a text, and "…" if that is not all; never half of a character.
std::string cut(std::string text, std::size_t longest);

// Safe as the content of an element or attribute, in HTML and XML. XML 1.0 has no way to write most control
// characters, and U+FFFE and U+FFFF are no characters of it: they are left out.
std::string markup(std::string_view text);

}  // namespace assay::report
