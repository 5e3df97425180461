// Forgetting at the weak levels. At causal a transaction leaves when nothing still to come can touch it, as at
// the strong levels (forget.hpp). At read committed and read atomic everything that was ever
// written may be read again, so nothing can leave for certain; there transactions leave when they are older
// than a horizon, and a read of what they wrote is answered "undecided". docs/watch.md has the rules and why
// they are safe.
#pragma once

#include "check/reads.hpp"
#include "watch/forget/forget.hpp"
#include "watch/forget/weak_order.hpp"

namespace assay::watch {

// REQUIRES: the round was decided "holds", and `order` has no cycle.
Forgetting forget_causal(const State& state, const Assembly& assembly, const check::Reads& reads,
                         WeakOrder order);
Forgetting forget_beyond_horizon(const State& state, const Assembly& assembly, const check::Reads& reads,
                                 WeakOrder order);

}  // namespace assay::watch
