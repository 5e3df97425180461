// How much of what has arrived one round looks at. A backlog of any size is gone through in rounds of about
// the same size, so that what a round costs does not depend on how much waits. Which rounds these are follows
// from what has arrived alone, so another process that goes through the log comes to the same.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "watch/keep/state.hpp"

namespace assay::watch {

struct Window {
  std::vector<std::uint32_t> arrivals;  // per session: the first so many of those that were not let in yet
  std::uint64_t fresh = 0;              // of them all, those that no round has looked at before
  bool is_whole = true;                 // nothing has arrived beyond it
};

// All that was looked at before and waits, and about WatchOptions::round_transactions more, in the order in
// which they came. Notes which sessions have more beyond it.
Window next_window(State& state);

// Takes what is let into a round (per session: the first so many) out of the arrivals, and notes who waits.
void take_out(State& state, const Window& window, std::span<const std::uint32_t> admitted);

}  // namespace assay::watch
