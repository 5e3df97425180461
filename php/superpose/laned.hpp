// Objects of PHP's own classes of dates whose state differs between lanes. The program has one object, whose state is that of the first lane; those of
// the others are kept beside it. Whatever is not known to look at the right one is denied.
#pragma once

#include "superpose/call.hpp"

namespace assay::php {

// Constructors and methods of these classes.
void call_date(const Call& call, zval* result);
void forget_laned();

}  // namespace assay::php
