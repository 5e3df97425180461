// A change that other processes can see and the record of it in this one's journal must both happen or neither,
// though the process may be killed at any moment. So the record is written behind the end of the journal's tail
// first; then the step is noted in shared memory, done, and the tail made longer. Whoever gets the lock of a dead
// process finishes the step that it finds.
#pragma once

#include <sqlite3.h>

#include "record/shared.hpp"

namespace assay::php {

// REQUIRES, for both: the lock under which such steps are made, or nobody else is there.
void finish_table_step(Shared& shared);
// A commit cannot be finished; whether it happened is seen in the database.
void finish_commit_step(Shared& shared);

// How far the write-ahead log of this connection's database is committed.
WalPosition wal_position(sqlite3* database);

}  // namespace assay::php
