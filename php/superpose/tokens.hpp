// Text that stands for a multivalue on its way through C code that only hands it on: PDO's, to our driver. It cannot be guessed, and
// no program gets to see it.
#pragma once

#include "superpose/multivalue.hpp"

namespace assay::php {

// Before the fence is up.
void begin_tokens();

// REQUIRES: a multivalue. It is kept until the request is over.
zend_string* make_token(zval* multi);
// The multivalue that it stands for; null if it is any other text.
zval* behind_token(std::string_view text);
void forget_tokens();

}  // namespace assay::php
