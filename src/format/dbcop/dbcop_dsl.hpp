// The compact text of dbcop's 2025 rewrite: [x:=1 y==2 z==?] per transaction, lines of dashes between
// sessions.
#pragma once

#include <filesystem>

#include "format/read_options.hpp"

namespace assay::format {

bool sniff_dbcop_dsl(const Input& input);
History read_dbcop_dsl(const Input& input, const ReadOptions& options);
void write_dbcop_dsl(const History& history, const std::filesystem::path& path);

}  // namespace assay::format
