#include "check/strong/learn.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace assay::check {

std::uint32_t Learner::new_variable() {
  variables_.emplace_back();
  watches_.emplace_back();
  watches_.emplace_back();
  activity_.add_variable();
  return variables() - 1;
}

Lit Learner::preferred(Lit l, bool otherwise) const {
  const Variable& v = variables_[variable(l)];
  const bool yes = v.has_phase ? v.phase == is_positive(l) : otherwise;
  return yes ? l : negate(l);
}

Lit Learner::most_active() {
  while (!activity_.empty()) {
    const Lit l = 2 * activity_.take_most_active();
    if (value(l) == Value::unassigned) return preferred(l, true);
  }
  return kNoLit;
}

// ---- assignments

void Learner::assign(Lit l, std::uint32_t at_level, std::uint32_t reason) {
  Variable& v = variables_[variable(l)];
  assert(v.value == Value::unassigned);
  v.value = is_positive(l) ? Value::yes : Value::no;
  v.level = at_level;
  v.reason = reason;
  v.phase = is_positive(l);
  v.has_phase = true;
  if (at_level == 0) {
    v.proof = prove_unit(l, reason);
    for_good_.push_back(l);
  } else {
    trail_.push_back(l);
    to_propagate_.push_back(l);
  }
}

void Learner::decide(Lit l) {
  level_begin_.push_back(static_cast<std::uint32_t>(trail_.size()));
  assign(l, level(), kNone);
}

Learner::Due Learner::next_due() {
  if (done_for_good_ < for_good_.size()) return {for_good_[done_for_good_], true};
  if (propagated_ == to_propagate_.size()) return {};
  const Lit l = to_propagate_[propagated_++];
  if (propagated_ == to_propagate_.size()) {
    to_propagate_.clear();
    propagated_ = 0;
  }
  return {l, false};
}

// ---- clauses

std::uint32_t Learner::new_clause(std::span<const Lit> lits, std::uint32_t proof, std::uint32_t glue) {
  const auto id = static_cast<std::uint32_t>(clauses_.size());
  clauses_.push_back({static_cast<std::uint32_t>(clause_literals_.size()),
                      static_cast<std::uint32_t>(lits.size()), proof, glue});
  clause_literals_.insert(clause_literals_.end(), lits.begin(), lits.end());
  if (lits.size() >= 2) {
    watches_[lits[0]].push_back({id, lits[1]});
    watches_[lits[1]].push_back({id, lits[0]});
  }
  return id;
}

void Learner::add_clause(std::span<const Lit> lits, std::span<const Txn> because_of) {
  const std::uint32_t clause = new_clause(lits, new_lemma(because_of, {}), 0);
  if (lits.size() == 1) assign(lits[0], 0, clause);
}

bool Learner::imply(Lit l) {
  const Lit false_lit = negate(l);
  std::vector<Watch>& list = watches_[false_lit];
  std::size_t keep = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Watch watch = list[i];
    if (value(watch.other) == Value::yes) {
      list[keep++] = watch;
      continue;
    }
    Clause& clause = clauses_[watch.clause];
    if (clause.deleted) continue;
    const std::span<Lit> lits = literals(clause);
    if (lits[0] == false_lit) std::swap(lits[0], lits[1]);
    bool moved = false;
    if (value(lits[0]) != Value::yes) {
      for (std::uint32_t j = 2; j < lits.size() && !moved; ++j) {
        if (value(lits[j]) == Value::no) continue;
        std::swap(lits[1], lits[j]);
        watches_[lits[1]].push_back({watch.clause, lits[0]});
        moved = true;
      }
    }
    if (moved) continue;
    list[keep++] = {watch.clause, lits[0]};
    if (value(lits[0]) == Value::yes) continue;
    if (value(lits[0]) == Value::no) {
      while (++i < list.size()) list[keep++] = list[i];
      list.resize(keep);
      conflict_.assign(lits.begin(), lits.end());
      conflict_proof_ = new_lemma({}, {clause.proof});
      return false;
    }
    const auto newest = std::max_element(lits.begin() + 1, lits.end(),
                                         [&](Lit a, Lit b) { return level_of(a) < level_of(b); });
    const std::uint32_t implied_level = level_of(*newest);
    if (farthest_ == kAnywhere) {
      // What holds for good is kept; else a jump that takes the current level back was because of it.
      assign(lits[0], implied_level == 0 ? 0 : level(), watch.clause);
      continue;
    }
    // A false literal of the same level is watched: none of the others is taken back before it.
    if (level_of(lits[1]) != implied_level) {
      std::swap(lits[1], *newest);
      watches_[lits[1]].push_back(list[--keep]);
    }
    assign(lits[0], implied_level, watch.clause);
  }
  list.resize(keep);
  return true;
}

void Learner::forget() {
  assert(level() == 0);
  std::vector<std::uint32_t> candidates;
  for (std::uint32_t i = 0; i < clauses_.size(); ++i) {
    const Clause& c = clauses_[i];
    if (!c.deleted && c.glue > 2 && c.size > 2) candidates.push_back(i);
  }
  std::sort(candidates.begin(), candidates.end(), [&](std::uint32_t a, std::uint32_t b) {
    return clauses_[a].glue != clauses_[b].glue ? clauses_[a].glue > clauses_[b].glue : a < b;
  });
  candidates.resize(candidates.size() / 2);
  for (const std::uint32_t i : candidates) clauses_[i].deleted = true;
}

// ---- what lemmas rest on

std::uint32_t Learner::new_lemma(std::span<const Txn> txns, std::initializer_list<std::uint32_t> parents) {
  const auto id = static_cast<std::uint32_t>(lemmas_.size());
  const auto txns_begin = static_cast<std::uint32_t>(lemma_txns_.size());
  lemma_txns_.insert(lemma_txns_.end(), txns.begin(), txns.end());
  const auto parents_begin = static_cast<std::uint32_t>(lemma_parents_.size());
  lemma_parents_.insert(lemma_parents_.end(), parents.begin(), parents.end());
  lemmas_.push_back({txns_begin, static_cast<std::uint32_t>(lemma_txns_.size()), parents_begin,
                     static_cast<std::uint32_t>(lemma_parents_.size())});
  return id;
}

// Of the newest lemma.
void Learner::add_parent(std::uint32_t parent) {
  lemma_parents_.push_back(parent);
  ++lemmas_.back().parents_end;
}

std::uint32_t Learner::prove_unit(Lit l, std::uint32_t reason) {
  if (reason == kNone) return kNone;
  const Clause clause = clauses_[reason];
  const std::uint32_t id = new_lemma({}, {clause.proof});
  for (const Lit other : literals(clause)) {
    if (variable(other) != variable(l)) add_parent(variables_[variable(other)].proof);
  }
  return id;
}

std::vector<Txn> Learner::core() const {
  assert(conflict_proof_ != kNone);
  std::vector<Txn> txns;
  std::vector<bool> used(lemmas_.size(), false);
  used[conflict_proof_] = true;
  for (std::size_t i = conflict_proof_ + std::size_t{1}; i-- > 0;) {
    if (!used[i]) continue;
    const Lemma& lemma = lemmas_[i];
    txns.insert(txns.end(), lemma_txns_.begin() + lemma.txns_begin, lemma_txns_.begin() + lemma.txns_end);
    for (std::uint32_t j = lemma.parents_begin; j < lemma.parents_end; ++j) {
      if (lemma_parents_[j] != kNone) used[lemma_parents_[j]] = true;
    }
  }
  std::sort(txns.begin(), txns.end());
  txns.erase(std::unique(txns.begin(), txns.end()), txns.end());
  return txns;
}

// ---- conflicts

void Learner::set_conflict(std::span<const Lit> lits, std::span<const Txn> because_of) {
  conflict_.assign(lits.begin(), lits.end());
  std::sort(conflict_.begin(), conflict_.end());
  conflict_.erase(std::unique(conflict_.begin(), conflict_.end()), conflict_.end());
  conflict_proof_ = new_lemma(because_of, {});
}

std::uint32_t Learner::highest_level_in_conflict() const {
  std::uint32_t highest = 0;
  for (const Lit l : conflict_) highest = std::max(highest, level_of(l));
  return highest;
}

// The conflict is among what holds for good.
void Learner::refute() {
  conflict_proof_ = new_lemma({}, {conflict_proof_});
  for (const Lit l : conflict_) add_parent(variables_[variable(l)].proof);
}

// First unique implication point of conflict_ at `highest`, into learned_ (asserting literal first). The
// newest lemma collects what was used.
void Learner::learn(std::uint32_t highest) {
  learned_.assign(1, kNoLit);
  seen_.clear();
  std::uint32_t open = 0;
  const auto take = [&](std::span<const Lit> lits) {
    for (const Lit l : lits) {
      Variable& v = variables_[variable(l)];
      if (v.seen) continue;
      if (v.level == 0) {
        if (v.proof != kNone) add_parent(v.proof);
        continue;
      }
      v.seen = true;
      seen_.push_back(variable(l));
      if (v.level == highest) {
        ++open;
      } else {
        learned_.push_back(l);
      }
    }
  };
  take(conflict_);
  std::size_t at = trail_.size();
  while (true) {
    while (!variables_[variable(trail_[at - 1])].seen) --at;
    const Lit l = trail_[--at];
    if (level_of(l) != highest) continue;
    if (--open == 0) {
      learned_[0] = negate(l);
      break;
    }
    const Clause clause = clauses_[variables_[variable(l)].reason];
    add_parent(clause.proof);
    take(literals(clause));
  }
  shorten_learned();
  for (const std::uint32_t v : seen_) {
    variables_[v].seen = false;
    if (counts_activity_) activity_.bump(v);
  }
  if (counts_activity_) activity_.decay();
}

// Drops literals that the others imply directly.
void Learner::shorten_learned() {
  std::size_t keep = 1;
  for (std::size_t i = 1; i < learned_.size(); ++i) {
    const Variable& v = variables_[variable(learned_[i])];
    bool redundant = v.reason != kNone;
    if (redundant) {
      for (const Lit other : literals(clauses_[v.reason])) {
        const Variable& o = variables_[variable(other)];
        if (variable(other) != variable(learned_[i]) && !o.seen && o.level != 0) redundant = false;
      }
    }
    if (redundant) {
      add_parent(clauses_[v.reason].proof);
      for (const Lit other : literals(clauses_[v.reason])) {
        const Variable& o = variables_[variable(other)];
        if (o.level == 0 && o.proof != kNone) add_parent(o.proof);
      }
    } else {
      learned_[keep++] = learned_[i];
    }
  }
  learned_.resize(keep);
}

// The highest level of learned_ but its first literal; a literal of that level becomes the second, to watch.
// REQUIRES: learned_.size() >= 2.
std::uint32_t Learner::assertion_level() {
  assert(learned_.size() >= 2);
  const auto second = std::max_element(learned_.begin() + 1, learned_.end(),
                                       [&](Lit a, Lit b) { return level_of(a) < level_of(b); });
  std::iter_swap(learned_.begin() + 1, second);
  return level_of(learned_[1]);
}

std::uint32_t Learner::glue_of(std::span<const Lit> lits) {
  levels_scratch_.clear();
  for (const Lit l : lits) levels_scratch_.push_back(level_of(l));
  std::sort(levels_scratch_.begin(), levels_scratch_.end());
  return static_cast<std::uint32_t>(std::unique(levels_scratch_.begin(), levels_scratch_.end()) -
                                    levels_scratch_.begin());
}

}  // namespace assay::check
