// preg_replace_callback on texts that differ: the matches are found per lane, and the callback is called once for the n-th match of all.
#pragma once

#include "superpose/call.hpp"

namespace assay::php {

// With a multivalue among its arguments.
void call_replacer(const Call& call, zval* result);

}  // namespace assay::php
