// Some inputs show the state before their first transaction as a transaction of its own. Folding turns the
// values that it wrote into the initial versions of their keys and removes the transaction, so that it
// precedes everything at every level instead of being one more transaction that happens to come first.
#pragma once

#include <optional>
#include <string>

#include "history/history.hpp"

namespace assay::format {

// Why this transaction cannot stand for the initial state, as the end of a sentence; nullopt if it can.
std::optional<std::string> why_not_initial(const History& history, Txn txn);

// The history without `txn`, its values read as the initial state. A session that it leaves empty goes with
// it. Throws InputError where why_not_initial has an answer.
History fold_initial_transaction(const History& history, Txn txn);

}  // namespace assay::format
