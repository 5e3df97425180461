// Histories of Jepsen and Elle as EDN: transactions over registers or lists.
#pragma once

#include <filesystem>

#include "format/read_options.hpp"

namespace assay::format {

bool sniff_elle_edn(const Input& input);
History read_elle_edn(const Input& input, const ReadOptions& options);
// Throws InputError for what Elle does not know: deletes, inserts, queries.
void write_elle_edn(const History& history, const std::filesystem::path& path);

}  // namespace assay::format
