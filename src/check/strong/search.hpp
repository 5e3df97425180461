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
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "check/limits.hpp"
#include "check/strong/problem.hpp"

namespace assay::check {

struct SearchStats {
  std::uint64_t variables = 0, decisions = 0, conflicts = 0, repairs = 0, steps = 0, restarts = 0;
};

struct SearchResult {
  // refused: by `refine`, below.
  enum class Answer : std::uint8_t { satisfiable, unsatisfiable, gave_up, refused };
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
  // For how many candidates of a read there are variables at first; at least 1.
  std::uint32_t choices_at_once = 8;
  // From the left: over how many levels a conflict may jump. Measured: 0 to 100 are about the same, 1,000 is far worse.
  std::uint32_t farthest_jump = 20;
};

// How a search goes about it. In a long order most decisions have nothing to do with each other, and what is undone for the
// sake of another must be decided again.
enum class Manner : std::uint8_t {
  as_it_comes,  // what broke last is mended first; conflicts jump back as far as they can; restarts are frequent
  from_the_left,  // what comes first in the order is mended first, so that conflicts are among late decisions; a long
                  // jump back is replaced by a short step, and restarts are rare
  most_active_first,  // whatever had a part in conflicts is decided first, be it broken or not: for what is hard to refute
};

// Looks at an order that explains all reads of the problem. What it gets wrong beyond them is added to the
// problem as further reads, and the search goes on from where it is.
enum class Refinement : std::uint8_t { nothing_is_wrong, reads_were_added, no_order_can_be_right };
using Refine = std::function<Refinement(Problem& problem, std::span<const Node> order)>;

// `order` lists all nodes, consistent with the known order.
SearchResult search(Problem& problem, std::span<const Node> order, const SearchBudget& budget, Limits& limits,
                    const Refine& refine = {}, Manner manner = Manner::as_it_comes);

}  // namespace assay::check
