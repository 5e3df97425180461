// What a derivation (outcome.hpp) speaks of: its transactions, and the names it gives them.
#pragma once

#include <vector>

#include "check/outcome.hpp"
#include "history/sub_history.hpp"

namespace assay::check {

// All transactions that its steps name, sorted (not those of its cases).
std::vector<Txn> transactions_of(const Derivation& derivation);

// A derivation about a part of a history, in the words of the whole.
void speak_of_the_whole(Derivation& derivation, const SubHistory& part);

}  // namespace assay::check
