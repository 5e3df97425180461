// The judge of certificates. Believes nothing but the history: parses the certificate strictly, replays an
// order of events operation by operation, or checks each step of a derivation by itself. Shares no code with
// what decides; this, facts.hpp and replay.hpp are meant to be read in one sitting.
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

// `path` names the certificate in errors. Throws InputError for a text that is no certificate at all.
Verification verify(std::string_view certificate, const std::string& path, const History& history);

}  // namespace assay::evidence
