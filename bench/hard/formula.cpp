#include "formula.hpp"

#include <algorithm>
#include <cadical.hpp>
#include <random>

namespace assay::hard {

std::size_t Formula::occurrences() const {
  std::size_t sum = 0;
  for (const Clause& clause : clauses) sum += clause.size();
  return sum;
}

Formula random_3sat(std::uint32_t variables, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Formula formula{variables, {}};
  for (std::uint32_t left = (variables * 43 + 5) / 10; left > 0; --left) {
    Clause clause;
    while (clause.size() < 3) {
      const auto variable = static_cast<std::uint32_t>(random() % variables);
      const bool there =
          std::any_of(clause.begin(), clause.end(), [&](const Literal& l) { return l.variable == variable; });
      if (!there) clause.push_back({variable, random() % 2 == 0});
    }
    formula.clauses.push_back(std::move(clause));
  }
  return formula;
}

Formula pigeonhole(std::uint32_t holes) {
  const std::uint32_t pigeons = holes + 1;
  const auto sits = [&](std::uint32_t pigeon, std::uint32_t hole) { return pigeon * holes + hole; };
  Formula formula{pigeons * holes, {}};
  for (std::uint32_t p = 0; p < pigeons; ++p) {
    Clause somewhere;
    for (std::uint32_t h = 0; h < holes; ++h) somewhere.push_back({sits(p, h), true});
    formula.clauses.push_back(std::move(somewhere));
  }
  for (std::uint32_t h = 0; h < holes; ++h) {
    for (std::uint32_t p = 0; p < pigeons; ++p) {
      for (std::uint32_t q = p + 1; q < pigeons; ++q) {
        formula.clauses.push_back({{sits(p, h), false}, {sits(q, h), false}});
      }
    }
  }
  return formula;
}

bool satisfiable(const Formula& formula) {
  CaDiCaL::Solver solver;
  for (const Clause& clause : formula.clauses) {
    for (const Literal& literal : clause) {
      const int variable = static_cast<int>(literal.variable) + 1;
      solver.add(literal.positive ? variable : -variable);
    }
    solver.add(0);
  }
  return solver.solve() == 10;
}

}  // namespace assay::hard
