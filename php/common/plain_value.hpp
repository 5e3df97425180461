// PHP values without objects as bytes and back. What a server tells is never made into an object: the
// methods of one would run with properties of its choice.
#pragma once

#include "audit/wire/encoding.hpp"
#include "common/php.hpp"

namespace assay::php {

namespace wire = audit::wire;

void put_plain_value(std::string& out, const zval* value);

// The cursor is not ok, and `out` null, if these bytes are no value.
void take_plain_value(wire::Cursor& in, zval* out);

}  // namespace assay::php
