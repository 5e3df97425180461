// Runs a group of requests as one, and tells the auditor what each of them did; or that it was denied.
#pragma once

#include <vector>

#include "rerun/pipe.hpp"

namespace assay::php {

// REQUIRES: PHP was started for groups.
void run_group(const std::vector<wire::RunOrder>& orders, Pipe& pipe);

}  // namespace assay::php
