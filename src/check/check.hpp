// The one entrance to deciding: a history, the levels asked for, and the limits.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "check/outcome.hpp"
#include "history/history.hpp"
#include "level/level.hpp"

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
  // Known besides what the history shows. For decide_strong(); must outlive the call.
  std::span<const Precedence> known = {};
  // Called now and then with what is being done; must be quick. May be empty.
  std::function<void(std::string_view phase)> progress;
};

// One outcome per asked level, in the order asked; work that levels share is done once.
std::vector<Outcome> check(const History& history, std::span<const Level> levels,
                           const Options& options = {});

// The strongest of the given outcomes' levels that holds: one that holds and that no other holding level
// implies.
std::optional<Level> strongest(std::span<const Outcome> outcomes);

}  // namespace assay::check
