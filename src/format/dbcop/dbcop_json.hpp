// Histories of dbcop's 2025 rewrite as JSON: sessions of transactions of Read and Write events.
#pragma once

#include <filesystem>

#include "format/read_options.hpp"

namespace assay::format {

bool sniff_dbcop_json(const Input& input);
History read_dbcop_json(const Input& input, const ReadOptions& options);
void write_dbcop_json(const History& history, const std::filesystem::path& path);

}  // namespace assay::format
