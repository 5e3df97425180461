// An operation as a person would write it: the statement with its parameters, the keys of a fetch. The
// contents may be anybody's bytes; what cannot be read is shown as such.
#pragma once

#include <string>

#include "audit/wire/report_records.hpp"

namespace assay::audit {

// One line or several, without a line break at the end; bytes of the program are as they were.
std::string operation_words(wire::OperationType type, wire::Bytes contents);

}  // namespace assay::audit
