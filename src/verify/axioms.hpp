// "Holds" below prefix.
#pragma once

#include <string_view>

#include "verify/claim.hpp"
#include "verify/facts.hpp"
#include "verify/lines.hpp"

namespace assay::verify {

// The levels below prefix say of a total commit order co that contains session order and reads-from:
//
//   t reads x from t1,  t2 writes x,  t1 != t2,  t2 is visible to that read   =>   t2 before t1 in co
//
// where each has its own notion of visible: by which paths of session order (s) and reads-from (r) from t2
// to t.
bool makes_visible(Level level, std::string_view path);

// The rest of the lines is a commit order under which the level's axiom holds. Throws Rejected.
// REQUIRES: facts.find_writers() was called.
void check_axioms(Lines& lines, Facts& facts, const Claim& claim);

}  // namespace assay::verify
