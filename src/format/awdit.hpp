// AWDIT's "test" text: operations "r key value" and "w key value" one per line, a run of '-' between the
// transactions of a session, a run of '=' between sessions. There is no initial state: every value read must
// have been written.
#pragma once

#include <filesystem>

#include "format/read_options.hpp"

namespace assay::format {

bool sniff_awdit(const Input& input);
History read_awdit(const Input& input, const ReadOptions& options);
void write_awdit(const History& history, const std::filesystem::path& path);

}  // namespace assay::format
