// Writes a formula as a history that satisfies prefix, snapshot isolation and serializability if and only if
// the formula can be satisfied: Papadimitriou's reduction (1979) to polygraphs, laid out so that nothing is
// forced. A checker that only adds what follows learns nothing and has to search.
//
// A choice is three transactions: `first` and `second` blindly write one private key, and `reader` reads it
// from `first`. Either `second` precedes `first`, or `reader` precedes `second`. A known order of two
// transactions is a private key that one writes and the other reads.
//
//   variable x     one choice: second before first means true, reader before second means false
//   occurrence     one choice for each literal in a clause: second before first says "not because of me",
//                  reader before second says "I am true"
//   clause         first of each occurrence -> second of the next, around: not all may say
//                  "not because of me"
//   x says it      x.second -> reader, second -> x.reader: with x false, "I am true" closes a cycle
//   not x says it  x.first -> reader, second -> x.second: with x true, "I am true" closes a cycle
//
// If the formula is satisfied, take each occurrence as its literal is. What says "not because of me" is
// reached by nothing but its clause's own chain, which is open; the rest falls apart into one acyclic part
// per variable. So a serial order exists. In each cycle named above a reader is entered by what it reads, so
// no two anti-dependencies follow each other: prefix and snapshot isolation forbid the cycle as well.
//
// Every transaction has a session of its own.
#pragma once

#include "formula.hpp"
#include "history/history.hpp"

namespace assay::hard {

// Three for each variable, three for each occurrence of a literal.
std::size_t transactions_of(const Formula& formula);

History embed(const Formula& formula);

}  // namespace assay::hard
