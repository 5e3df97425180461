// Boolean formulas in conjunctive normal form that are hard to refute: random 3-SAT near the threshold, where
// about half of all formulas can be satisfied and proofs are long (Mitchell, Selman and Levesque, AAAI 1992),
// and the pigeonhole principle, which has no short proof by resolution at all (Haken 1985).
#pragma once

#include <cstdint>
#include <vector>

namespace assay::hard {

struct Literal {
  std::uint32_t variable = 0;
  bool positive = true;
};
using Clause = std::vector<Literal>;

struct Formula {
  std::uint32_t variables = 0;
  std::vector<Clause> clauses;
  std::size_t occurrences() const;
};

// 4.3 clauses per variable, each of three different variables.
Formula random_3sat(std::uint32_t variables, std::uint64_t seed);

// Pigeons sit in holes, one fewer than there are pigeons, no two in one: unsatisfiable.
Formula pigeonhole(std::uint32_t holes);

// Asks CaDiCaL.
bool satisfiable(const Formula& formula);

}  // namespace assay::hard
