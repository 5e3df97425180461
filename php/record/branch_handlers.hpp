// The path of a request without machine code of our own, for a PHP whose virtual machine is not the one that the
// detours (digest.hpp) are written for: PHP calls a function before each instruction that branches, which looks at
// what the branch will do. Slower: a call per branch, and comparisons that PHP has fused with the branch behind them
// are taken apart again.
#pragma once

#include <cstdint>

#include "common/php.hpp"

namespace assay::php {

// Before anything is compiled. Each branch and its direction are mixed into the number.
void start_branch_handlers(std::uint64_t& number, std::uint32_t multiplier);
void take_fused_branches_apart(zend_op_array& function);

}  // namespace assay::php
