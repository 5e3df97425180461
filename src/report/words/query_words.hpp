// Queries in words: what one asked for, and what it means that a row is not in its result.
#pragma once

#include <string>
#include <string_view>

#include "history/history.hpp"

namespace assay::report {

// "asked for all rows between 10 and 20".
std::string asked_for(const History& history, Op query);
// "asked for all rows between 10 and 20 and did not see row 15".
std::string did_not_see(const History& history, Op query, Key key);

// "inserted", "deleted" or "wrote": the last that a transaction did to a row.
std::string_view did_to(const History& history, Txn txn, Key key);

}  // namespace assay::report
