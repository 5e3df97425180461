// dbcop bincode (Biswas and Enea's dbcop of 2019; PolySI and VeriStrong use it too): one file,
// history.bincode, five header numbers, three strings, then sessions of transactions of 18-byte events, all
// little-endian.
#pragma once

#include <filesystem>

#include "format/read_options.hpp"

namespace assay::format {

bool sniff_dbcop(const Input& input);
History read_dbcop(const Input& input, const ReadOptions& options);
void write_dbcop(const History& history, const std::filesystem::path& path);

}  // namespace assay::format
