// What the HTML page shows, chosen so that it stays small whatever the size of the history: the transactions
// that the evidence speaks of, a few neighbours of each in its session, and summaries of the rest. All texts
// of the input are cut and made printable here; the page treats them as text and nothing else.
#pragma once

#include <string>

#include "evidence/examination.hpp"
#include "report/page/page_context.hpp"
#include "report/page/page_limits.hpp"

namespace assay::report {

// A JSON object on one line, in valid UTF-8.
std::string page_data(const evidence::Examination& examination, const PageLimits& limits,
                      const PageContext& context = {});

}  // namespace assay::report
