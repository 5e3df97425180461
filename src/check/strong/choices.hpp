// Which candidates of an ambiguous read the search has variables for. The key of a row that a query did not
// return can have a thousand versions, and few of them are ever looked at: variables exist at first for those
// nearest to the reader, and one for "another", with which the next ones come, twice as many each time.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "check/strong/learn.hpp"
#include "check/strong/problem.hpp"

namespace assay::check {

class Choices {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFFU;

  // `at_once`: for how many candidates there are variables at first.
  Choices(const Problem& problem, std::uint32_t at_once) : p_(problem), at_once_(at_once) {}

  // Takes in the ambiguous reads that are new to the problem.
  void follow_problem();

  // The ambiguous reads of a transaction: the first, and the one after another; kNone: no more.
  std::uint32_t first_of(Txn t) const { return first_.empty() ? kNone : first_[index(t)]; }
  std::uint32_t next(std::uint32_t read) const { return reads_[read].next; }

  // One for each candidate that has a variable, and those for "another".
  std::span<const Lit> literals(std::uint32_t read) const { return reads_[read].literals; }
  // Whether the candidates that l stands for have no variables yet.
  bool brings_more(std::uint32_t read, Lit l) const { return reads_[read].another == l; }

  // The nearest candidates that have none get variables. The clause over them (or what the last "another"
  // stood for is not so) begins with two that are new, unless the read has a single candidate.
  struct Batch {
    std::vector<Write> candidates;
    std::vector<Lit> clause;
  };
  // new_variable(write) makes one, of kAnother for "another".
  Batch introduce(std::uint32_t read, const std::function<std::uint32_t(Write)>& distance,
                  const std::function<std::uint32_t(std::uint32_t)>& new_variable);

 private:
  struct Read {
    std::vector<Lit> literals;
    std::vector<Write> taken;  // that have variables, in increasing order
    Lit another = kNoLit;      // the newest; kNoLit: all candidates have variables, or none has
    std::uint32_t next = kNone;
  };

  const Problem& p_;
  const std::uint32_t at_once_;
  std::vector<std::uint32_t> first_;  // transaction -> the newest of its ambiguous reads
  std::vector<Read> reads_;           // by ambiguous read
};

}  // namespace assay::check
