// A verdict told to a person: what was audited, what came of it and why, what it cost.
#pragma once

#include <string>

#include "audit/verdict.hpp"

namespace assay::audit {

std::string verdict_text(const Verdict& verdict, bool colour);

}  // namespace assay::audit
