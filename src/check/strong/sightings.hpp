// What each ambiguous read sees in the current order, and which of them must be looked at again. A read that
// sees a candidate goes on seeing it until its reader moves, the candidate moves, or another write of the key
// comes between the two, which is then the next write after the candidate. So each write keeps a list of the
// reads that were found to see it, and only those of writes that moved or have a new neighbour are looked at.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "check/strong/choices.hpp"
#include "check/strong/problem.hpp"
#include "check/strong/sorted_writes.hpp"
#include "order/dynamic_order.hpp"

namespace assay::check {

class Sightings {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFFU;

  // All must outlive this object; `choices` knows the ambiguous reads of each transaction.
  Sightings(const Problem& problem, const order::DynamicOrder& order, const SortedWrites& writes,
            const Choices& choices)
      : p_(problem), order_(order), writes_(writes), choices_(choices) {}

  // Takes in the ambiguous reads that are new to the problem.
  void follow_problem();

  // After nodes moved and the writes are sorted again. `touched`: writes that may have another neighbour, or
  // whose next one moved earlier.
  void follow_moves(std::span<const Write> touched);

  // The first ambiguous read that sees none of its candidates, from this one on, and after the last the first
  // of all; kNone: each sees one.
  std::uint32_t find_blind(std::uint32_t from);

 private:
  struct Sighting {
    std::uint32_t write = kNone, next = kNone, previous = kNone;  // neighbours in the list of the write
  };

  std::uint32_t position_of_reader(std::uint32_t q) const {
    return order_.position(p_.begin_of(p_.ambiguous_reads()[q].reader)) + 1;
  }
  void doubt(std::uint32_t q) { doubts_[q / 64] |= std::uint64_t{1} << q % 64; }
  void doubt_those_that_saw(Write w);
  std::uint32_t next_doubt(std::uint32_t from) const;
  // Whether it sees a candidate; then it is in doubt no more.
  bool look(std::uint32_t q);
  void note(std::uint32_t q, Write w);

  const Problem& p_;
  const order::DynamicOrder& order_;
  const SortedWrites& writes_;
  const Choices& choices_;
  std::vector<std::uint32_t> seen_by_;  // by write: the first read in its list
  std::vector<Sighting> sightings_;     // by read
  std::vector<std::uint64_t> doubts_;   // a bit for each read: it may see no candidate
};

}  // namespace assay::check
