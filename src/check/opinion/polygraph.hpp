// A history and a strong level as a polygraph: events, edges between them that always hold, and edges that
// hold if some literals do. The history satisfies the level iff some assignment that satisfies the clauses
// makes the edges that hold acyclic.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "check/opinion/second_opinion.hpp"
#include "check/reads.hpp"
#include "history/history.hpp"

namespace assay::check {

// A literal in the manner of SAT solvers: a variable (from 1) or its negation. 0 is "true".
using Literal = std::int32_t;

struct PolygraphEdge {
  std::uint32_t from, to;
  std::array<Literal, 4> conditions;  // all must hold
};

struct Polygraph {
  std::uint32_t nodes = 0;
  std::vector<PolygraphEdge> edges;
  std::vector<std::vector<Literal>> clauses;
  Literal variables = 0;
  // 0 for transactions that certainly count; of no meaning for those that do not.
  std::vector<Literal> counts;
  // A transaction's begin and commit are the nodes 2t and 2t+1, or both t where they are one event.
  bool one_event = true;

  std::uint32_t begin_of(Txn t) const { return one_event ? index(t) : 2 * index(t); }
  std::uint32_t commit_of(Txn t) const { return one_event ? index(t) : 2 * index(t) + 1; }
};

// nullopt: it would have more than `most_edges` conditional edges.
std::optional<Polygraph> build_polygraph(const History& history, const Reads& reads, const EventRules& rules,
                                         std::size_t most_edges);

}  // namespace assay::check
