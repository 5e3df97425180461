#pragma once

namespace assay::report {

// Of this program and its libraries: "0.2.0".
const char* version();

}  // namespace assay::report
