// A call whose whole outcome is told: what it returned and what it warned about. Where it really happens its
// warnings are held back until it is over, so that a handler of the program's own runs at the same moment on
// both sides.
#pragma once

#include <string>

#include "common/php.hpp"

namespace assay::php {

// Stands in for the original of the running handler.
void tell_call(INTERNAL_FUNCTION_PARAMETERS);

// The same for a function that returns a stream, which cannot be told: whether there is one, that is. The
// stream itself is in `return_value` where the call really happened, and is to be made where it did not.
bool tell_opening(INTERNAL_FUNCTION_PARAMETERS);

}  // namespace assay::php
