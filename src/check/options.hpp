// What a check is asked for besides the level: what counts, what it may cost, and what is known beforehand.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>

#include "check/outcome.hpp"

namespace assay::check {

enum class SessionOrder : std::uint8_t { keep, ignore };

enum class Method : std::uint8_t {
  automatic,  // the engine
  width,      // Biswas and Enea's bounded-width search: a second opinion on a small history
  sat,        // the plain polygraph encoding given to CaDiCaL: another
};

// One event is known to come before another.
struct Precedence {
  Event before, after;
};

struct Options {
  SessionOrder sessions = SessionOrder::keep;
  // For the levels with real time; unset: 0 for one clock, 100 ms for several.
  std::optional<std::chrono::nanoseconds> clock_drift;
  std::optional<double> timeout_seconds;    // for the whole call
  std::optional<std::size_t> memory_bytes;  // resident size of the process
  unsigned threads = 1;
  Method method = Method::automatic;
  // Known besides what the history shows; taken into account at prefix and stronger. Must outlive the call.
  std::span<const Precedence> known = {};
  // Called now and then with what is being done; must be quick. May be empty.
  std::function<void(std::string_view phase)> progress;
};

}  // namespace assay::check
