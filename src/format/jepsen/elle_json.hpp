// The same histories as elle-cli takes them: JSON objects instead of EDN maps, in one array or one per line.
#pragma once

#include "format/read_options.hpp"

namespace assay::format {

bool sniff_elle_json(const Input& input);
History read_elle_json(const Input& input, const ReadOptions& options);

}  // namespace assay::format
