// What a certificate claims.
#pragma once

#include <chrono>

#include "level/level.hpp"

namespace assay::verify {

struct Claim {
  Level level = Level::serializable;
  bool holds = false;
  bool keep_sessions = true;
  std::chrono::nanoseconds clock_drift{0};
};

}  // namespace assay::verify
