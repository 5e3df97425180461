// The propositional half of the search: what is assigned and why, clauses with two watched literals, and
// learning from conflicts by the first unique implication point (as in every solver since GRASP and Chaff).
// What a literal says about the order of events is the business of the other half, search.cpp.
//
// Every lemma remembers what it rests on: the transactions of a cycle, or the lemmas it was resolved from.
// From the empty clause that leads back to the transactions which cannot all be as they were.
#pragma once

#include <cassert>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "check/strong/activity.hpp"
#include "history/ids.hpp"

namespace assay::check {

using Lit = std::uint32_t;  // 2 * variable, + 1 if negated
inline constexpr Lit kNoLit = 0xFFFFFFFFU;

constexpr Lit negate(Lit l) {
  return l ^ 1U;
}
constexpr std::uint32_t variable(Lit l) {
  return l >> 1U;
}
constexpr bool is_positive(Lit l) {
  return (l & 1U) == 0;
}

// Luby's sequence 1 1 2 1 1 2 4 ..., by which restarts become rarer: Knuth's reluctant doubling.
class Luby {
 public:
  std::uint64_t next() {
    if ((u_ & (~u_ + 1)) == v_) {
      ++u_;
      v_ = 1;
    } else {
      v_ *= 2;
    }
    return v_;
  }

 private:
  std::uint64_t u_ = 1, v_ = 1;
};

class Learner {
 public:
  enum class Value : std::uint8_t { unassigned, yes, no };

  std::uint32_t new_variable();
  std::uint32_t variables() const { return static_cast<std::uint32_t>(variables_.size()); }
  Value value(Lit l) const {
    const Value v = variables_[variable(l)].value;
    if (v == Value::unassigned) return v;
    return (v == Value::yes) == is_positive(l) ? Value::yes : Value::no;
  }
  // At which level an assigned literal was assigned. Level 0 holds for good.
  std::uint32_t level_of(Lit l) const { return variables_[variable(l)].level; }
  std::uint32_t level() const { return static_cast<std::uint32_t>(level_begin_.size() - 1); }
  // The way in which the variable of l was assigned last; l or its negation as `otherwise` says if never.
  Lit preferred(Lit l, bool otherwise) const;

  // A clause that holds because of these transactions. REQUIRES: its first two literals, or its only one, are
  // not assigned.
  void add_clause(std::span<const Lit> lits, std::span<const Txn> because_of);

  // Opens a level.
  void decide(Lit l);

  // From now on, where a clause would jump over more than `farthest` levels, only the last of them is taken back. What is implied is
  // then assigned at the level that it follows from, so that such a step does not lose it.
  void take_short_steps(std::uint32_t farthest) { farthest_ = farthest; }

  // From now on, who has a part in conflicts is counted.
  void count_activity() { counts_activity_ = true; }
  // Of the variables that are open and had a part in conflicts, the most active one, as it was assigned last; kNoLit:
  // there is none.
  Lit most_active();

  // Assigned literals come due one by one. The caller applies one, asks imply() for what follows from it, and
  // tells when both worked: what holds for good is due until then.
  struct Due {
    Lit lit = kNoLit;  // kNoLit: none
    bool for_good = false;
  };
  Due next_due();
  void done(Due due) {
    if (due.for_good) ++done_for_good_;
  }
  // Assigns what the clauses imply now that l is true. False on a conflict.
  bool imply(Lit l);

  // These literals are all false, because of these transactions. Repeated ones are fine.
  void set_conflict(std::span<const Lit> lits, std::span<const Txn> because_of);

  // Learns from the conflict, jumps back and assigns what follows. undo(level) is called whenever a jump has
  // taken back what was assigned above that level. False if nothing is left to undo: then the conflict
  // refutes everything, and core() tells why.
  template <class Undo>
  bool resolve_conflict(const Undo& undo);
  // What follows from lower levels alone, but was found out later, stays; it comes due again.
  template <class Undo>
  void backjump(std::uint32_t to, const Undo& undo);

  // REQUIRES: resolve_conflict() returned false.
  std::vector<Txn> core() const;

  // Forgets the less useful half of what was learned. REQUIRES: level() == 0, where no clause is a reason
  // that is needed.
  void forget();

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFFU;
  static constexpr std::uint32_t kAnywhere = 0xFFFFFFFFU;

  struct Variable {
    Value value = Value::unassigned;
    bool phase = false, has_phase = false;
    bool seen = false;  // by the conflict analysis
    std::uint32_t level = 0;
    std::uint32_t reason = kNone;  // clause that forced it, or kNone for a decision
    std::uint32_t proof = kNone;   // at level 0: the lemma that forced it
  };
  struct Clause {
    std::uint32_t begin, size;
    std::uint32_t proof;
    std::uint32_t glue;  // decision levels when it was learned; 0: never delete
    bool deleted = false;
  };
  struct Watch {
    std::uint32_t clause;
    Lit other;  // if true, the clause need not be looked at
  };
  // The cycle it comes from (as transactions), and the lemmas it was resolved with.
  struct Lemma {
    std::uint32_t txns_begin, txns_end;
    std::uint32_t parents_begin, parents_end;
  };

  std::span<Lit> literals(const Clause& c) { return {clause_literals_.data() + c.begin, c.size}; }
  std::uint32_t new_clause(std::span<const Lit> lits, std::uint32_t proof, std::uint32_t glue);
  void assign(Lit l, std::uint32_t at_level, std::uint32_t reason);

  std::uint32_t new_lemma(std::span<const Txn> txns, std::initializer_list<std::uint32_t> parents);
  void add_parent(std::uint32_t parent);
  std::uint32_t prove_unit(Lit l, std::uint32_t reason);

  std::uint32_t highest_level_in_conflict() const;
  void refute();
  void learn(std::uint32_t highest);
  void shorten_learned();
  std::uint32_t assertion_level();
  std::uint32_t glue_of(std::span<const Lit> lits);

  std::vector<Variable> variables_;
  std::vector<std::uint32_t> level_begin_{0};  // in trail_
  std::vector<Lit> trail_;                     // above level 0, as they were assigned
  std::vector<Lit> for_good_;                  // at level 0
  std::size_t done_for_good_ = 0;
  std::vector<Lit> to_propagate_;  // first come, first served
  std::size_t propagated_ = 0;     // of to_propagate_

  std::vector<Clause> clauses_;
  std::vector<Lit> clause_literals_;
  std::vector<std::vector<Watch>> watches_;  // by literal
  std::uint32_t farthest_ = kAnywhere;
  bool counts_activity_ = false;
  Activity activity_;
  std::vector<Lit> conflict_, learned_;
  std::uint32_t conflict_proof_ = kNone;
  std::vector<std::uint32_t> seen_, levels_scratch_;

  std::vector<Lemma> lemmas_;
  std::vector<Txn> lemma_txns_;
  std::vector<std::uint32_t> lemma_parents_;
};

template <class Undo>
void Learner::backjump(std::uint32_t to, const Undo& undo) {
  if (to >= level()) return;
  to_propagate_.clear();
  propagated_ = 0;
  for (std::size_t i = level_begin_[to + 1]; i < trail_.size(); ++i) {
    Variable& v = variables_[variable(trail_[i])];
    if (v.level <= to) {
      to_propagate_.push_back(trail_[i]);
    } else {
      v.value = Value::unassigned;
      if (counts_activity_) activity_.put_back(variable(trail_[i]));
    }
  }
  trail_.resize(level_begin_[to + 1]);
  undo(to);
  level_begin_.resize(to + std::size_t{1});
  trail_.insert(trail_.end(), to_propagate_.begin(), to_propagate_.end());
}

template <class Undo>
bool Learner::resolve_conflict(const Undo& undo) {
  const std::uint32_t highest = highest_level_in_conflict();
  backjump(highest, undo);
  if (highest == 0) {
    refute();
    return false;
  }
  const std::uint32_t lemma = new_lemma({}, {conflict_proof_});
  learn(highest);
  // A learned clause with one literal left holds for good, and needs nothing else undone; others assert at
  // the level of the rest.
  if (learned_.size() == 1) {
    backjump(highest - 1, undo);
    assign(learned_[0], 0, new_clause(learned_, lemma, 0));
  } else {
    const std::uint32_t to = assertion_level();
    backjump(highest - to > farthest_ ? highest - 1 : to, undo);
    assign(learned_[0], to, new_clause(learned_, lemma, glue_of(learned_)));
  }
  return true;
}

}  // namespace assay::check
