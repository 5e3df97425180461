// What a query (a range or predicate read, or a read of rows) asked for and returned, key by key.
#pragma once

#include "history/history.hpp"

namespace assay {

// Whether the operation is a query.
bool is_query(const History& history, Op op);

// Whether the query asks for a row of this key, whatever its value; a read of rows, for those that it returned. Of a
// learned predicate nobody knows: it may ask for any. REQUIRES: is_query(history, op).
bool asks_for(const History& history, Op op, Key key);
// Whether a row of this key is in the result. REQUIRES: is_query(history, op).
bool returned(const History& history, Op op, Key key);

}  // namespace assay
