// The judge of certificates. Believes nothing but the history: parses the certificate strictly, runs an order
// of events operation by operation, or checks each step of a derivation by itself. All of it is verify.cpp,
// which shares no code with what decides and proves.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "history/history.hpp"
#include "level/level.hpp"

namespace assay::evidence {

struct Verification {
  bool accepted = false;
  std::string reason;  // rejected: where and why, for a person
  // What the certificate claims, as far as it was understood.
  Level level = Level::serializable;
  bool holds = false;
  bool keep_sessions = true;
  std::chrono::nanoseconds clock_drift{0};
};

// `path` names the certificate in errors. REQUIRES: the history is as its clients logged it (no queries taken
// apart). Throws InputError for a text that is no certificate at all.
Verification verify(std::string_view certificate, const std::string& path, const History& history);

}  // namespace assay::evidence
