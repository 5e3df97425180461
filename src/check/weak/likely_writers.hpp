// A guess which of its candidates each ambiguous read saw, for a search to begin with.
//
// The history is run once more: a transaction runs after the one before it in its session and after those that
// it certainly read from, the sessions at the pace that the clocks tell or else side by side. Each ambiguous
// read is given the last of its candidates that ran before, but none that its reader knew to be overwritten
// (by session order and reads-from, in any number of steps). Where that cannot be, because the history has a
// cycle or nothing that a read can have seen has run, one transaction is run by force. Of a database that
// keeps much of what it promises the guess is seldom wrong; nothing rests on it.
#pragma once

#include <cstdint>
#include <vector>

#include "check/reads.hpp"
#include "history/history.hpp"

namespace assay::check {

// For each ambiguous read, by transaction and then in program order, the place of a candidate.
std::vector<std::uint32_t> likely_writers(const History& history, const Reads& reads);

}  // namespace assay::check
