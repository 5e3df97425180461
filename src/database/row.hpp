// What every product needs to keep rows: the number that a value is to filters, the end of the keys with a
// prefix, the elements of a list in one text, and the version in front of a value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "database/store.hpp"

namespace assay::database {

// Nothing if the value is not a decimal number that fits.
std::optional<std::int64_t> number_in_value(std::string_view value);
bool passes(const NumberFilter& filter, std::string_view key, std::string_view value);

// The least text above all that start with the prefix; nothing if there is none, as for the empty prefix.
std::optional<std::string> end_of_prefix(std::string_view prefix);

// A list is one text, each version followed by a blank, so that appending needs no reading.
std::string list_text(std::uint64_t version);
// Throws StoreError, fatal, if somebody else wrote it.
void read_list_text(std::string_view text, std::vector<ListElement>& elements);

// "17:value". What does not start like this was not written by the recorder: it has version 0.
std::string with_version(const StoredValue& stored);
StoredValue without_version(std::string_view text);

}  // namespace assay::database
