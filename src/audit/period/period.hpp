// The part of the reports that belongs to one period (docs/audit.md, "Periods"): what was audited before is
// left out, except the first operations of requests that were open at the cut, and so is what need not have
// happened before the end of the trace, if another period follows.
#pragma once

#include "audit/period/carried.hpp"
#include "audit/reports.hpp"
#include "audit/trace.hpp"

namespace assay::audit {

struct Period {
  const Carried* before = nullptr;  // what the audit before it left; it must outlive the reports
  bool goes_on = false;             // another one follows
};

void limit_to_period(Reports& reports, const Trace& trace, const Period& period);

// Where to cut a trace so that so many periods have about as many requests and responses each: bytes of the
// file, one less than periods. Throws InputError.
std::vector<std::size_t> even_cuts(const std::string& trace, std::size_t periods);

}  // namespace assay::audit
