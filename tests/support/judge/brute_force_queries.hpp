// The judge for histories with queries, straight from the definitions and by trying
// everything: which transactions of unknown fate committed, in which order all committed, and for the weak
// levels which writer each key that a query asked for was seen from. Shares nothing with src/check, and of
// queries only the reading of a predicate's text; what it accepts is a tiny history of registers.
//
//   * serializable: some serial run in which every read and the whole result of every query comes out as
//     recorded. Prefix and snapshot isolation: the same with a run of begins and commits.
//   * the weak levels: the axioms of brute_force.hpp, where a query is one operation that reads each key that
//     it asks for: a returned row from who wrote that version, any other from somebody (or the initial state)
//     that leaves no row, or one that does not match. Reads of one query are not before each other. A read of rows
//     asks for those that it returned.
//   * a predicate that is known by its identity alone matches what it returned in committed transactions.
//   * repeatable read: rows that were read stay as they were; of what a query did not return it says nothing.
#pragma once

#include "history/history.hpp"
#include "level/level.hpp"

namespace assay {

// No real time. Throws std::invalid_argument for a history that is too big (more than 7
// transactions), has lists, or a predicate that is not understood.
bool brute_force_with_queries(const History& history, Level level, bool session_order = true);

// The same where a predicate that is known by its identity alone may mean anything: whether there is a meaning with
// which the level holds, by trying them all. Throws also if there are more than 4096.
bool brute_force_with_some_meaning(const History& history, Level level);

}  // namespace assay
