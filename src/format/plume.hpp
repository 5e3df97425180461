// The text of Plume, PolySI and IsoVista: one operation per line, r(key,value,session,txn) or w(…).
// Transactions are told by their number, so their lines may interleave; number -1 marks operations of aborted
// transactions.
#pragma once

#include <filesystem>

#include "format/read_options.hpp"

namespace assay::format {

bool sniff_text(const Input& input);
History read_text(const Input& input, const ReadOptions& options);
void write_text(const History& history, const std::filesystem::path& path);

}  // namespace assay::format
