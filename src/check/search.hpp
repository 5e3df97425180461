// Decides what is left open: SAT modulo acyclicity by repair. The current order of events is the assignment.
// A Boolean variable exists only for a pair of writers (or for a read's choice among several writers) that
// the current order once violated; only violated ones are decided. Deciding adds edges to the order, which
// moves nodes (dynamic_order.hpp) and may break other reads; a cycle gives a conflict, from which a clause is
// learned. Undoing decisions keeps the order, so nothing that was repaired elsewhere is lost.
//
// The rules that decisions obey, for a read of a key by r from w, and another writer v of that key:
//   w before v   =>   C(w) -> overwrites(v),   and B(r) -> C(v) as soon as the order violates it
//   v before w   =>   C(v) -> overwrites(w)
// and at snapshot isolation, two writers that overlap must be ordered one way or the other.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "check/limits.hpp"
#include "check/problem.hpp"

namespace assay::check {

struct SearchStats {
  std::uint64_t variables = 0, decisions = 0, conflicts = 0, repairs = 0, steps = 0, restarts = 0;
};

struct SearchResult {
  enum class Answer : std::uint8_t { satisfiable, unsatisfiable, gave_up };
  Answer answer = Answer::gave_up;
  std::vector<Node> order;  // satisfiable: a witness. Else the order that the search ended with
  // Unsatisfiable: transactions that already make it so, whatever the others did.
  std::vector<Txn> core;
  SearchStats stats;
};

// What a search may spend before it gives up.
struct SearchBudget {
  std::optional<std::uint64_t> conflicts;
  std::optional<std::uint64_t> steps;
};

// `order` lists all nodes, consistent with the known order.
SearchResult search(const Problem& problem, std::span<const Node> order, const SearchBudget& budget,
                    Limits& limits);

}  // namespace assay::check
