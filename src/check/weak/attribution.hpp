// Reads with several candidate writers: is there an attribution, one writer per read, with which a level
// holds? NP-hard in general, so a search: a SAT solver proposes an attribution, the polynomial check looks
// at it, and each contradiction becomes a clause over just the choices that it rests on. Ends when an
// attribution passes, when the clauses contradict each other (then none can), or when the effort is spent.
//
// Several levels share one search. What contradicts a level contradicts those that imply it: each clause holds
// under a literal of its level, and a level is asked for with the literals of all that it implies. An attribution
// that satisfies a level is where the next one begins. A level that was left undecided goes on from where it was.
#pragma once

#include <array>
#include <cadical.hpp>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

#include "check/limits.hpp"
#include "check/options.hpp"
#include "check/reads.hpp"
#include "check/weak/commit_order.hpp"

namespace assay::check {

class AttributionSearch {
 public:
  // Keeps references to the history and the reads. `likely` is where the search begins: for each ambiguous
  // read, by transaction and then in program order, the place of a candidate. REQUIRES: some read is ambiguous.
  AttributionSearch(const History& history, const Reads& reads, SessionOrder sessions,
                    std::span<const std::uint32_t> likely);

  // `most_proposals`: after that many attributions it is left undecided, to be asked again.
  // REQUIRES: a level up to causal.
  Outcome decide(Level level, Limits& limits, std::optional<std::uint64_t> most_proposals = {});

 private:
  struct Ambiguous {
    Txn reader;
    std::uint32_t set;
    int first_variable;
  };
  // What the clauses of a level speak of.
  struct Learned {
    int literal = 0;  // under which they hold
    Derivation last;
    std::set<Txn> core;
    std::set<std::size_t> reads;  // places in ambiguous_
    std::set<Txn> conditional;
  };

  int variable(std::size_t read, std::uint32_t candidate) const {
    return ambiguous_[read].first_variable + static_cast<int>(candidate);
  }
  bool number_choices();
  void prefer(std::span<const std::uint32_t> choice);
  bool propose(Level level, std::vector<std::uint32_t>& choice);
  void learn(Learned& learned, const Explanation& explanation, const std::vector<std::uint32_t>& choice);
  void refuted(Level level, Outcome& outcome) const;

  const History& h_;
  const Reads& reads_;
  SessionOrder sessions_;
  CaDiCaL::Solver solver_;
  bool too_many_ = false;
  std::vector<Ambiguous> ambiguous_;
  std::unordered_map<std::uint32_t, std::size_t> place_of_read_;
  std::unordered_map<Txn, int> counts_;
  std::array<Learned, static_cast<std::size_t>(Level::causal) + 1> learned_;  // by level
};

}  // namespace assay::check
