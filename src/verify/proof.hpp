// "Violated".
#pragma once

#include "verify/claim.hpp"
#include "verify/facts.hpp"
#include "verify/lines.hpp"

namespace assay::verify {

// The rest of the lines is a read that no level allows, or a derivation of a contradiction. Throws Rejected.
// REQUIRES: facts.find_writers() was called.
void check_proof(Lines& lines, Facts& facts, const Claim& claim);

}  // namespace assay::verify
