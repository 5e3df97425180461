// A verdict as one web page that needs nothing else, not even a script: accepted or rejected, both responses
// side by side, the cycle, the cost by part, and the requests over time.
#pragma once

#include <string>

#include "audit/verdict.hpp"

namespace assay::audit {

std::string verdict_page(const Verdict& verdict);

}  // namespace assay::audit
