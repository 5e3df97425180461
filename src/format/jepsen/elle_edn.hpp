// Histories of Jepsen and Elle as EDN: transactions over registers or lists.
#pragma once

#include "format/read_options.hpp"

namespace assay::format {

bool sniff_elle_edn(const Input& input);
History read_elle_edn(const Input& input, const ReadOptions& options);

}  // namespace assay::format
