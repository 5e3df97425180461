// A stream in place of a file that nobody has: it can be written, which goes nowhere, and locked. Who reads it
// does what cannot be repeated.
#pragma once

#include "common/php.hpp"

namespace assay::php {

php_stream* blind_stream(const char* mode);

}  // namespace assay::php
