// Sessions that go on, or begin, when something was forgotten that need not precede them. They are taken to come
// after that; some show it, by reading what somebody wrote who does, or by their times. docs/watch.md says
// what follows of those that do not.
#pragma once

#include "watch/assembly.hpp"
#include "watch/keep/state.hpp"

namespace assay::watch {

// Those of which something is let into this round are late no more. The state's `trusted` says who was the
// first that did not show it.
void look_at_late_sessions(State& state, const Assembly& assembly);

}  // namespace assay::watch
