// Queries in words: what one asked for, and what it means that a row is not in its result.
#pragma once

#include <string>

#include "check/outcome.hpp"
#include "history/history.hpp"

namespace assay::report {

bool is_query(const History& history, Op op);

// Whether the query asks for a row of this key, whatever its value. REQUIRES: is_query(history, op).
bool asks_for(const History& history, Op op, Key key);
// REQUIRES: is_query(history, op).
bool returned(const History& history, Op op, Key key);

// Whether the step rests on a query that did not return a row of its key.
bool rests_on_missing_row(const History& history, const check::Step& step);

// "asked for all rows between 10 and 20 and did not see row 15".
std::string did_not_see(const History& history, Op query, Key key);

// "inserted", "deleted" or "wrote": the last that a transaction did to a row.
std::string_view did_to(const History& history, Txn txn, Key key);

}  // namespace assay::report
