// PHP's sessions in a group: each lane has its own, and $_SESSION is the value of all of them.
#pragma once

#include "superpose/call.hpp"

namespace assay::php {

// A function about sessions, for each lane.
void call_session(const Call& call, zval* result);
// At the end of the request: what is still open is written.
void end_sessions();
void forget_sessions();

}  // namespace assay::php
