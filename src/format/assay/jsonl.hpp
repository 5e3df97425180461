// Assay's own text form: one transaction per line as a JSON object, with an optional header and end line
// around them. The only text format that carries everything a History holds. docs/formats.md describes it
// field by field.
#pragma once

#include <filesystem>

#include "format/read_options.hpp"

namespace assay::format {

bool sniff_jsonl(const Input& input);
History read_jsonl(const Input& input, const ReadOptions& options);
void write_jsonl(const History& history, const std::filesystem::path& path);

}  // namespace assay::format
