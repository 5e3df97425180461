// "Holds" at prefix and stronger.
#pragma once

#include "verify/claim.hpp"
#include "verify/facts.hpp"
#include "verify/lines.hpp"

namespace assay::verify {

// The rest of the lines is an order in which the history can be run. Throws Rejected.
void check_replay(Lines& lines, Facts& facts, const Claim& claim);

}  // namespace assay::verify
