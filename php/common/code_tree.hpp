// The folder that holds the audited program. It does not change during an audit, so what is below it needs no
// telling.
#pragma once

#include <string_view>

namespace assay::php {

void set_code_tree(std::string_view folder);

// What is no file (php://memory) counts as inside. So does everything if no folder is set.
bool in_code_tree(std::string_view path);

}  // namespace assay::php
