// The judge that every checker is compared with. It tries everything: which transactions of unknown fate
// committed, which writer each ambiguous read saw, which total order the transactions committed in. It
// follows the definitions word for word and shares nothing with src/check; what it accepts is a tiny history.
//
// brute_force decides every level by the axioms of Biswas and Enea (2019, figure 2) and their like in
// level.cpp: all of them say, of a total commit order co that extends session order and reads-from, that
//   t1 -wr_x-> r,  t2 writes x,  t1 != t2,  phi(t2, r)   =>   t2 -co-> t1
// with a phi of their own. brute_force_by_running decides the strong levels a second time and in another way:
// it looks for a run of the history, transaction by transaction (serializable) or begin by begin and commit
// by commit (prefix, snapshot isolation), in which each read returns the value that is there.
//
// Decisions where papers are silent:
//   * A transaction of unknown fate that is taken as committed contributes its writes, its place in its
//     session and its start, but neither its reads nor its end.
//   * Lists: the state of a list key is the concatenation of all appends in commit order. A list read from t1
//     returned the state after t1; one that follows own appends returned the state before its own transaction
//     and then these appends.
//   * Real time in snapshot isolation: a snapshot contains all that ended before the transaction started, so
//     real time joins session order and reads-from in the Prefix axiom.
//   * repeatable-read has no commit order: it holds if no read is impossible in itself (lists: each key for
//     itself has some order of appends) and reads of a key by one transaction come from one writer.
//   * monotonic-atomic-view is the Read Committed axiom of Biswas and Enea, which is stronger than Adya's
//     PL-2: what Bailis et al. ask of a view that only grows is exactly that axiom.
#pragma once

#include <chrono>
#include <span>

#include "check/outcome.hpp"
#include "history/history.hpp"
#include "level/level.hpp"

namespace assay {

struct Reading {
  bool session_order = true;
  std::chrono::nanoseconds drift{0};
};

// Throws std::invalid_argument for a history that is too big (more than 16 transactions) or that has queries,
// keys used as list and register, or elements that were appended twice.
bool brute_force(const History& history, Level level, Reading reading = {});

// REQUIRES: level is prefix or stronger.
bool brute_force_by_running(const History& history, Level level, Reading reading = {});

// Whether the history satisfies the level with exactly these events in exactly this order: a commit for each
// transaction, or for prefix and snapshot isolation a begin and a commit. Repeatable read asks only who is
// there.
bool brute_force_accepts(const History& history, Level level, Reading reading,
                         std::span<const check::Event> order);

}  // namespace assay
