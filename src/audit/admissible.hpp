// Are the values that the oracle is said to have given admissible? The clock of a request never runs
// backwards and stays between its arrival and its departure; its process id and host name do not change
// (docs/audit.md).
#pragma once

#include <chrono>
#include <optional>

#include "audit/fit.hpp"
#include "audit/reports.hpp"
#include "audit/trace.hpp"
#include "audit/verdict.hpp"

namespace assay::audit {

// `tolerance` is by how much the clocks of collector and server may differ.
std::optional<Finding> find_inadmissible(const Trace& trace, const Reports& reports, const OperationMap& map,
                                         std::chrono::nanoseconds tolerance);

}  // namespace assay::audit
