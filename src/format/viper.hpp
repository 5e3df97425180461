// Viper's JSON logs: a directory of J<n>.log, one session each, one committed transaction per line.
// docs/formats.md says how the values that nobody wrote, failed statements and tombstones are read.
#pragma once

#include "format/read_options.hpp"

namespace assay::format {

bool sniff_viper(const Input& input);
History read_viper(const Input& input, const ReadOptions& options);

}  // namespace assay::format
