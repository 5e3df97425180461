// Several histories in one check: a process for each, so that a limit, a guard or a defect ends only that one, and
// some of them at a time. A line for each, in the order given, and a summary.
#pragma once

#include "cli/check/asked.hpp"
#include "cli/command.hpp"

namespace assay::cli {

// Violated if one is; else what is worst of the others: a defect, one that could not be read, undecided. Throws
// UsageError before any of them is looked at. REQUIRES: this process has no other threads.
Exit check_several(const CheckOptions& options);

}  // namespace assay::cli
