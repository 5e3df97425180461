// A counterexample in the input's own names: versions that an entry stands for are told with the transaction
// that wrote them.
#pragma once

#include <span>

#include "history/history.hpp"
#include "watch/state.hpp"

namespace assay::watch {

// REQUIRES: `transactions` is sorted.
History tell(const Watcher::State& state, const History& history, std::span<const Txn> transactions,
             Level level);

}  // namespace assay::watch
