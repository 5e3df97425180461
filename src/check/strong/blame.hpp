// Which transactions a contradiction of the search rests on: what makes an unsatisfiable core small.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "check/strong/problem.hpp"
#include "order/dynamic_order.hpp"

namespace assay::check {

// What a variable of the search stands for: a pair of transactions that write a key in common (true: first
// before second), or the choice of one write for an ambiguous read (first: index of the read, second: the
// write; kAnother: one of those that have no variable yet).
inline constexpr std::uint32_t kAnother = 0xFFFFFFFFU;
struct Meaning {
  std::uint32_t first, second;
  bool choice;
};

// The transactions that a cycle of the order rests on, sorted; the tags of its edges are literals, `meanings`
// those of their variables. Inner transactions of a run along a session are not needed.
void blame(const Problem& problem, std::span<const order::DynamicOrder::Hop> cycle,
           std::span<const Meaning> meanings, std::vector<Txn>& transactions);

}  // namespace assay::check
