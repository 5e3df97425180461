// Which of several outcomes deserve to be told at length. What refutes a level refutes every level that
// implies it, so a report explains the weakest violated levels and refers the others to them. Where the same
// anomaly breaks several of these, it is told once.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "check/outcome.hpp"
#include "evidence/examination.hpp"

namespace assay::report {

struct Selected {
  const check::Outcome* outcome;
  std::vector<Level> also;  // other levels that the same anomaly breaks, that are not told of themselves
};

// The weakest violated ones; bad reads, which violate every level alike, only once, as every other anomaly.
std::vector<Selected> worth_explaining(const evidence::Examination& examination);

// The levels that hold and that no other holding one implies: several where none of them is the strongest.
std::vector<Level> strongest_levels(std::span<const check::Outcome> outcomes);

// "read-committed", "read-committed, prefix and causal".
std::string listed(const std::vector<Level>& levels);

}  // namespace assay::report
