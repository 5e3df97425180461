// How transactions are called. Texts speak of them through a Naming, so that the same sentence can use short
// labels where a list explains them and full names where it stands alone.
#pragma once

#include <functional>
#include <string>

#include "history/history.hpp"

namespace assay::report {

using Naming = std::function<std::string(Txn)>;

// "transaction 12 of session 3", in the input's own ids.
std::string full_name(const History& history, Txn txn);

}  // namespace assay::report
