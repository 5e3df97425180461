#include "report/version.hpp"

namespace assay::report {

// The build tells it to this file alone: a new version compiles one file anew.
const char* version() {
  return ASSAY_VERSION;
}

}  // namespace assay::report
