// A counterexample in the input's own names: versions that an entry stands for are told with the transaction
// that wrote them.
#pragma once

#include <span>

#include "history/history.hpp"
#include "watch/assembly.hpp"
#include "watch/keep/state.hpp"

namespace assay::watch {

// REQUIRES: `transactions` is sorted.
History in_input_names(const State& state, const Assembly& assembly, std::span<const Txn> transactions);

}  // namespace assay::watch
