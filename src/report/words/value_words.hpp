// A value as it is told. A recorder that gives each write a number of its own keeps that beside what the application wrote
// ("97@22167", see docs/record.md); a person reads "97 (version 22167)".
#pragma once

#include <string>

#include "history/history.hpp"

namespace assay::report {

// REQUIRES: not the initial version.
std::string value_told(const History& history, Version version);

}  // namespace assay::report
