// PDO in a group: one connection and one statement object for all lanes. The driver asks the world, which asks for each lane.
#pragma once

#include "superpose/call.hpp"

namespace assay::php {

void call_database(const Call& call, zval* result);

}  // namespace assay::php
