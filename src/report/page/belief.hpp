// Why "holds" can be believed, and how far, in sentences for the page. Each is checked against the history by the
// tests' judge of truth, as those about violations are.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "evidence/examination.hpp"

namespace assay::report {

struct Belief {
  bool good = true;  // false: a reason for doubt
  std::string sentence;
};

// REQUIRES: all levels hold. The reasons to believe first.
std::vector<Belief> belief_of(const evidence::Examination& examination);

// How the commit order that was found for the strongest of the levels that hold compares with the clock.
std::string departures_told(const std::string& level, bool real_time, std::uint64_t count,
                            std::uint64_t compared);

}  // namespace assay::report
