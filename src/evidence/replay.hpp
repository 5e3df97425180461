// The independent check of a "holds": given a history, a level and an order of events, is the order a proof?
// Works from the raw operations and shares nothing with src/check but the type of an event, so that a mistake
// in resolving reads or in an engine does not pass here.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>

#include "check/outcome.hpp"
#include "history/history.hpp"
#include "level/level.hpp"

namespace assay::evidence {

// nullopt iff the order proves that the history satisfies the level; otherwise what is wrong with it, for a
// person. Every committed transaction must be in the order, those of unknown fate may be, aborted ones must
// not.
//   * serializable: one commit event each; the history is run in this order, and every read must see what is
//     there. Linear.
//   * prefix, snapshot-isolation: a begin and a commit each; reads happen at the begin, writes at the commit;
//     for snapshot isolation no two writers of a key overlap. Linear.
//   * the weaker levels: one commit event each, a total commit order of which every instance of the level's
//     axiom must be true (axioms.hpp). Where several writers come into question for a read they are tried; an
//     order for which too many trials would be needed is not accepted.
std::optional<std::string> replay(const History& history, Level level, bool keep_sessions,
                                  std::chrono::nanoseconds drift, std::span<const check::Event> order);

}  // namespace assay::evidence
