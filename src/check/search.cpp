#include "check/search.hpp"

#include <algorithm>
#include <cassert>

#include "history/intern.hpp"
#include "order/dynamic_order.hpp"

namespace assay::check {

namespace {

using order::DynamicOrder;

using Lit = std::uint32_t;  // 2 * variable, + 1 if negated
constexpr Lit kNoLit = DynamicOrder::kNoTag;
constexpr std::uint32_t kNone = 0xFFFFFFFFU;

constexpr Lit negate(Lit l) {
  return l ^ 1U;
}
constexpr std::uint32_t variable(Lit l) {
  return l >> 1U;
}

class Search {
 public:
  Search(const Problem& problem, std::span<const Node> order, const SearchBudget& budget, Limits& limits)
      : p_(problem),
        reads_(problem.reads),
        budget_(budget),
        limits_(limits),
        order_(problem.after(), problem.before(), order),
        place_(reads_.writes()),
        last_reader_(reads_.writes(), 0),
        queued_(reads_.writes(), false) {
    sort_writes();
    if (!p_.ambiguous_reads().empty()) {
      first_choice_.assign(p_.ambiguous_reads().size(), kNone);
      chosen_readers_.assign(reads_.writes(), kNone);
      ambiguous_begin_.assign(reads_.transactions() + std::size_t{1}, 0);
      for (const Problem::AmbiguousRead& read : p_.ambiguous_reads())
        ++ambiguous_begin_[index(read.reader) + 1];
      for (std::uint32_t t = 0; t < reads_.transactions(); ++t)
        ambiguous_begin_[t + 1] += ambiguous_begin_[t];
    }
    level_begin_.push_back({0, 0, 0});
  }

  SearchResult run() {
    SearchResult result;
    result.answer = solve();
    result.order.assign(order_.order().begin(), order_.order().end());
    if (result.answer == SearchResult::Answer::unsatisfiable) result.core = core();
    result.stats = stats_;
    result.stats.variables = variables_.size();
    result.stats.steps = order_.steps();
    return result;
  }

 private:
  using Answer = SearchResult::Answer;
  enum class Value : std::uint8_t { unassigned, yes, no };

  // ---- variables
  // -------------------------------------------------------------------------------------------------

  // A pair of transactions that write a key in common (true: first before second), or the choice of one write
  // for an ambiguous read (first: index of the read, second: the write).
  struct Variable {
    std::uint32_t first, second;
    bool choice;
    Value value = Value::unassigned;
    bool phase = false, has_phase = false;
    bool seen = false;  // by the conflict analysis
    std::uint32_t level = 0;
    std::uint32_t reason = kNone;  // clause that forced it, or kNone for a decision
    std::uint32_t proof = kNone;   // at level 0: the lemma that forced it
  };

  Value value(Lit l) const {
    const Value v = variables_[variable(l)].value;
    if (v == Value::unassigned) return v;
    return (v == Value::yes) == ((l & 1U) == 0) ? Value::yes : Value::no;
  }

  std::uint32_t new_variable(std::uint32_t first, std::uint32_t second, bool choice) {
    variables_.push_back({first, second, choice});
    watches_.emplace_back();
    watches_.emplace_back();
    return static_cast<std::uint32_t>(variables_.size() - 1);
  }

  // "a comes before b".
  Lit before(Txn a, Txn b) {
    const bool swapped = b < a;
    const std::uint32_t first = index(swapped ? b : a), second = index(swapped ? a : b);
    const auto fresh = static_cast<std::uint32_t>(variables_.size());
    const std::uint32_t v = pairs_.find_or_add(first, second, fresh);
    if (v == fresh) new_variable(first, second, false);
    return 2 * v + (swapped ? 1 : 0);
  }

  // ---- positions
  // -------------------------------------------------------------------------------------------------

  // Positions count from 1, so that the initial write is before all.
  std::uint32_t commit_position(Write w) const {
    return reads_.is_initial(w) ? 0 : order_.position(p_.commit_of(reads_.writer(w))) + 1;
  }
  std::uint32_t begin_position(Txn t) const { return order_.position(p_.begin_of(t)) + 1; }

  bool has_next(Write w) const {
    // The writes of the next key begin with its initial one.
    const std::size_t after = place_[index(w)] + std::size_t{1};
    return after < sorted_.size() && !reads_.is_initial(sorted_[after]);
  }
  Write next(Write w) const { return sorted_[place_[index(w)] + std::size_t{1}]; }
  // REQUIRES: !is_initial(w).
  Write previous(Write w) const { return sorted_[place_[index(w)] - 1]; }

  // Each key's writes in commit order, in the slice of the array that Reads numbers them by.
  void sort_writes() {
    sorted_.resize(reads_.writes());
    std::vector<std::uint32_t> end(reads_.keys());
    const auto put = [&](Write w) {
      const std::uint32_t k = index(reads_.key(w));
      place_[index(w)] = end[k];
      sorted_[end[k]++] = w;
    };
    for (std::uint32_t k = 0; k < reads_.keys(); ++k) {
      end[k] = index(reads_.initial_write(Key{k}));
      put(reads_.initial_write(Key{k}));
    }
    for (const Node u : order_.order()) {
      if (!p_.is_event(u) || !p_.is_commit(u)) continue;
      for (const Write w : reads_.writes_of(p_.txn_of(u))) put(w);
    }
    for (std::uint32_t w = 0; w < reads_.writes(); ++w) {
      for (const Txn r : p_.readers(Write{w})) last_reader_[w] = std::max(last_reader_[w], begin_position(r));
    }
  }

  void put(std::uint32_t where, Write w) {
    sorted_[where] = w;
    place_[index(w)] = where;
  }
  bool restore_to_the_left(Write w) {
    const std::uint32_t old = place_[index(w)];
    const std::uint32_t here = commit_position(w);
    std::uint32_t at = old;
    // The initial write, at position 0, stops every one.
    for (; commit_position(sorted_[at - 1]) > here; --at) put(at, sorted_[at - 1]);
    if (at != old) put(at, w);
    return at != old;
  }
  bool restore_to_the_right(Write w) {
    const std::uint32_t old = place_[index(w)];
    const std::uint32_t here = commit_position(w);
    std::uint32_t at = old;
    for (; at + std::size_t{1} < sorted_.size(); ++at) {
      const Write next = sorted_[at + std::size_t{1}];
      if (reads_.is_initial(next) || commit_position(next) > here) break;
      put(at, next);
    }
    if (at != old) put(at, w);
    return at != old;
  }

  // ---- what the order violates
  // -----------------------------------------------------------------------------------

  void enqueue(Write w) {
    if (queued_[index(w)]) return;
    queued_[index(w)] = true;
    queue_.push_back(w);
  }

  // Cheap tests whether something may be wrong between w and the next writer of its key.
  void suspect(Write w) {
    if (!has_next(w)) return;
    const Write v = next(w);
    if (last_reader_[index(w)] > commit_position(v) || overlap(w, v)) enqueue(w);
  }
  bool overlap(Write w, Write v) const {
    return p_.level.writers_exclude && !reads_.is_initial(w) &&
           commit_position(w) > begin_position(reads_.writer(v));
  }

  // After nodes moved: puts their writes in their places again and looks at what they touch. Whatever moved
  // earlier is restored leftwards, in ascending order, then whatever moved later rightwards, in descending
  // order: in any other order a write that is itself still to move can stand in the way of another.
  //
  // What can have become wrong: a reader that moved later passes the next writer; a writer that moved earlier
  // passes readers of the previous version; a write has a new neighbour. At snapshot isolation an overlap can
  // also come from a begin that moved earlier, a commit that moved later, or a write that left from between
  // two others.
  void follow_moves() {
    const auto writes_of_commit = [&](Node u) {
      if (!p_.is_event(u) || !p_.is_commit(u)) return std::span<const Write>{};
      return reads_.writes_of(p_.txn_of(u));
    };
    const bool exclude = p_.level.writers_exclude;
    touched_.clear();
    for (const Node u : order_.moved_earlier()) {
      for (const Write w : writes_of_commit(u)) {
        const Write old = previous(w);
        if (restore_to_the_left(w)) {
          touched_.push_back(w);
          if (exclude) touched_.push_back(old);
        }
        touched_.push_back(previous(w));
      }
    }
    const std::span<const Node> later = order_.moved_later();
    for (std::size_t i = later.size(); i-- > 0;) {
      for (const Write w : writes_of_commit(later[i])) {
        const Write old = previous(w);
        if (restore_to_the_right(w)) {
          touched_.push_back(w);
          touched_.push_back(previous(w));
          if (exclude) touched_.push_back(old);
        } else if (exclude) {
          touched_.push_back(w);
        }
      }
    }
    // Neighbours are final only now.
    for (const Write w : touched_) suspect(w);
    for (const Node u : later) {
      if (!p_.is_event(u) || !p_.is_begin(u)) continue;
      const std::uint32_t position = begin_position(p_.txn_of(u));
      for_each_source(p_.txn_of(u), [&](Write w) {
        last_reader_[index(w)] = std::max(last_reader_[index(w)], position);
        if (has_next(w) && commit_position(next(w)) < position) enqueue(w);
      });
    }
    if (!exclude) return;
    for (const Node u : order_.moved_earlier()) {
      if (!p_.is_event(u) || !p_.is_begin(u)) continue;
      for (const Write w : reads_.writes_of(p_.txn_of(u))) suspect(previous(w));
    }
  }

  template <class Visit>
  void for_each_source(Txn t, Visit visit) const {
    for (const Source source : reads_.reads_of(t)) {
      if (!source.is_ambiguous()) visit(source.write());
    }
    if (ambiguous_begin_.empty()) return;
    for (std::uint32_t q = ambiguous_begin_[index(t)]; q < ambiguous_begin_[index(t) + 1]; ++q) {
      if (first_choice_[q] == kNone) continue;
      const auto candidates = reads_.candidates(p_.ambiguous_reads()[q].set);
      for (std::uint32_t i = 0; i < candidates.size(); ++i) {
        if (value(2 * (first_choice_[q] + i)) == Value::yes) visit(candidates[i]);
      }
    }
  }

  // The reader of w that comes last, and the literal under which it reads w (kNoLit: certainly).
  struct LastReader {
    std::uint32_t position = 0;
    Txn txn{};
    Lit chosen = kNoLit;
  };
  LastReader find_last_reader(Write w) {
    LastReader last;
    for (const Txn r : p_.readers(w)) {
      const std::uint32_t position = begin_position(r);
      if (position > last.position) last = {position, r, kNoLit};
    }
    if (!chosen_readers_.empty()) {
      for (std::uint32_t i = chosen_readers_[index(w)]; i != kNone; i = chosen_pool_[i].next) {
        const Lit choice = chosen_pool_[i].choice;
        const Txn r = p_.ambiguous_reads()[variables_[variable(choice)].first].reader;
        const std::uint32_t position = begin_position(r);
        if (position > last.position) last = {position, r, choice};
      }
    }
    last_reader_[index(w)] = last.position;
    return last;
  }

  // ---- assignments
  // -----------------------------------------------------------------------------------------------

  std::uint32_t level() const { return static_cast<std::uint32_t>(level_begin_.size() - 1); }

  void assign(Lit l, std::uint32_t at_level, std::uint32_t reason) {
    Variable& v = variables_[variable(l)];
    assert(v.value == Value::unassigned);
    v.value = (l & 1U) == 0 ? Value::yes : Value::no;
    v.level = at_level;
    v.reason = reason;
    v.phase = (l & 1U) == 0;
    v.has_phase = true;
    if (at_level == 0) {
      v.proof = prove_unit(l, reason);
      for_good_.push_back(l);
    } else {
      trail_.push_back(l);
      to_propagate_.push_back(l);
    }
  }

  void decide(Lit l) {
    ++stats_.decisions;
    level_begin_.push_back({static_cast<std::uint32_t>(trail_.size()), order_.height(),
                            static_cast<std::uint32_t>(chosen_pool_.size())});
    assign(l, level(), kNone);
  }

  std::uint32_t level_of(DynamicOrder::Tags tags) const {
    std::uint32_t highest = 0;
    for (const Lit l : {tags.first, tags.second}) {
      if (l != kNoLit) highest = std::max(highest, variables_[variable(l)].level);
    }
    return highest;
  }

  // Adds an edge that follows from the tags. On a cycle fills conflict_.
  bool add_edge(Node from, Node to, Lit a, Lit b) {
    const DynamicOrder::Tags tags{a, b};
    if (order_.add(from, to, tags, level_of(tags) == 0)) {
      if (!order_.moved_later().empty()) {
        ++stats_.repairs;
        follow_moves();
      }
      return true;
    }
    conflict_.clear();
    for (const DynamicOrder::Hop& hop : order_.cycle()) {
      for (const Lit l : {hop.tags.first, hop.tags.second}) {
        if (hop.added && l != kNoLit) conflict_.push_back(negate(l));
      }
    }
    std::sort(conflict_.begin(), conflict_.end());
    conflict_.erase(std::unique(conflict_.begin(), conflict_.end()), conflict_.end());
    note_cycle();
    return false;
  }

  // What a literal says about the order.
  bool apply(Lit l) {
    const Variable& v = variables_[variable(l)];
    if (!v.choice) {
      const bool yes = (l & 1U) == 0;
      const Txn a{yes ? v.first : v.second}, b{yes ? v.second : v.first};
      return add_edge(p_.commit_of(a), p_.overwrites(b), l, kNoLit);
    }
    if ((l & 1U) != 0) return true;
    const Write w{v.second};
    const Txn r = p_.ambiguous_reads()[v.first].reader;
    if (!reads_.is_initial(w) && !add_edge(p_.commit_of(reads_.writer(w)), p_.begin_of(r), l, kNoLit))
      return false;
    link_choice(l);
    last_reader_[index(w)] = std::max(last_reader_[index(w)], begin_position(r));
    suspect(w);
    return true;
  }

  void backjump(std::uint32_t to) {
    if (to >= level()) return;
    const LevelBegin begin = level_begin_[to + 1];
    while (trail_.size() > begin.trail) {
      variables_[variable(trail_.back())].value = Value::unassigned;
      trail_.pop_back();
    }
    undo_choices(begin.choices);
    order_.undo_to(begin.edges);
    level_begin_.resize(to + 1);
    to_propagate_.clear();
  }

  void undo_choices(std::uint32_t height) {
    std::vector<Lit> stay;  // made for good in between
    while (chosen_pool_.size() > height) {
      const auto [choice, next] = chosen_pool_.back();
      chosen_pool_.pop_back();
      chosen_readers_[variables_[variable(choice)].second] = next;
      if (value(choice) == Value::yes) stay.push_back(choice);
    }
    for (std::size_t i = stay.size(); i-- > 0;) link_choice(stay[i]);
  }

  void link_choice(Lit choice) {
    std::uint32_t& newest = chosen_readers_[variables_[variable(choice)].second];
    chosen_pool_.push_back({choice, newest});
    newest = static_cast<std::uint32_t>(chosen_pool_.size() - 1);
  }

  // ---- clauses
  // ---------------------------------------------------------------------------------------------------

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

  std::span<Lit> literals(const Clause& c) { return {clause_literals_.data() + c.begin, c.size}; }

  std::uint32_t add_clause(std::span<const Lit> lits, std::uint32_t proof, std::uint32_t glue) {
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

  // Applies what has been assigned, to the order and to the clauses. On a conflict fills conflict_.
  bool propagate() {
    while (true) {
      // What holds for good is applied for good: it stays due until that has worked.
      const bool for_good = applied_for_good_ < for_good_.size();
      if (!for_good && to_propagate_.empty()) return true;
      const Lit l = for_good ? for_good_[applied_for_good_] : to_propagate_.front_and_pop();
      if (!apply(l) || !visit_watches(negate(l))) return false;
      if (for_good) ++applied_for_good_;
    }
  }

  bool visit_watches(Lit false_lit) {
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
      std::uint32_t implied_level = 0;
      for (std::uint32_t j = 1; j < lits.size(); ++j) {
        implied_level = std::max(implied_level, variables_[variable(lits[j])].level);
      }
      // Literals are assigned at the level they follow from; below the current one only if that is 0, where
      // they are kept for good.
      assign(lits[0], implied_level == 0 ? 0 : level(), watch.clause);
    }
    list.resize(keep);
    return true;
  }

  // ---- proofs
  // ----------------------------------------------------------------------------------------------------

  // A lemma: the cycle it comes from (as transactions), and the lemmas it was resolved with.
  struct Lemma {
    std::uint32_t txns_begin, txns_end;
    std::uint32_t parents_begin, parents_end;
  };

  std::uint32_t new_lemma(std::span<const Txn> txns, std::initializer_list<std::uint32_t> parents) {
    const auto id = static_cast<std::uint32_t>(lemmas_.size());
    const auto txns_begin = static_cast<std::uint32_t>(lemma_txns_.size());
    lemma_txns_.insert(lemma_txns_.end(), txns.begin(), txns.end());
    const auto parents_begin = static_cast<std::uint32_t>(lemma_parents_.size());
    lemma_parents_.insert(lemma_parents_.end(), parents.begin(), parents.end());
    lemmas_.push_back({txns_begin, static_cast<std::uint32_t>(lemma_txns_.size()), parents_begin,
                       static_cast<std::uint32_t>(lemma_parents_.size())});
    return id;
  }
  // REQUIRES: `lemma` is the newest.
  void add_parent(std::uint32_t parent) {
    lemma_parents_.push_back(parent);
    ++lemmas_.back().parents_end;
  }

  std::uint32_t prove_unit(Lit l, std::uint32_t reason) {
    if (reason == kNone) return kNone;
    const Clause clause = clauses_[reason];
    const std::uint32_t id = new_lemma({}, {clause.proof});
    for (const Lit other : literals(clause)) {
      if (variable(other) != variable(l)) add_parent(variables_[variable(other)].proof);
    }
    return id;
  }

  // The transactions of the cycle just found; inner transactions of a run along a session are not needed.
  void note_cycle() {
    scratch_txns_.clear();
    const auto cycle = order_.cycle();
    for (std::size_t i = 0; i < cycle.size(); ++i) {
      const DynamicOrder::Hop& in = cycle[i];
      const DynamicOrder::Hop& out = cycle[(i + 1) % cycle.size()];
      if (!p_.is_event(in.to)) continue;
      const Txn t = p_.txn_of(in.to);
      if (!is_session_hop(in) || !is_session_hop(out)) scratch_txns_.push_back(t);
    }
    // An anti-dependency also rests on the write that was read, a choice on its reader, a version order on
    // the read that shows it.
    for (const DynamicOrder::Hop& hop : cycle) {
      if (!hop.added && p_.is_event(hop.from) && p_.is_event(hop.to)) {
        const auto* shown = reads_.version_order(p_.txn_of(hop.from), p_.txn_of(hop.to));
        if (shown != nullptr) scratch_txns_.push_back(shown->shown_by);
      }
      if (!hop.added) continue;
      if (p_.is_event(hop.from)) scratch_txns_.push_back(p_.txn_of(hop.from));
      if (p_.is_event(hop.to)) scratch_txns_.push_back(p_.txn_of(hop.to));
      for (const Lit l : {hop.tags.first, hop.tags.second}) {
        if (l == kNoLit) continue;
        const Variable& v = variables_[variable(l)];
        if (v.choice) {
          scratch_txns_.push_back(p_.ambiguous_reads()[v.first].reader);
        } else {
          scratch_txns_.push_back(Txn{v.first});
          scratch_txns_.push_back(Txn{v.second});
        }
      }
    }
    std::sort(scratch_txns_.begin(), scratch_txns_.end());
    scratch_txns_.erase(std::unique(scratch_txns_.begin(), scratch_txns_.end()), scratch_txns_.end());
    conflict_proof_ = new_lemma(scratch_txns_, {});
  }

  bool is_session_hop(const DynamicOrder::Hop& hop) const {
    if (hop.added || !p_.keep_sessions || !p_.is_event(hop.from) || !p_.is_event(hop.to)) return false;
    const Txn a = p_.txn_of(hop.from), b = p_.txn_of(hop.to);
    return a == b || (index(b) == index(a) + 1 && p_.history.session_of(a) == p_.history.session_of(b));
  }

  std::vector<Txn> core() const {
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

  // ---- learning
  // --------------------------------------------------------------------------------------------------

  // conflict_ holds a clause all of whose literals are false. Learns from it, jumps back and asserts what
  // follows. False if nothing is left to undo.
  bool resolve_conflict() {
    ++stats_.conflicts;
    {
      std::uint32_t highest = 0;
      for (const Lit l : conflict_) highest = std::max(highest, variables_[variable(l)].level);
      backjump(highest);
      std::uint32_t lemma = new_lemma({}, {conflict_proof_});
      conflict_proof_ = lemma;
      if (highest == 0) {
        for (const Lit l : conflict_) add_parent(variables_[variable(l)].proof);
        return false;
      }
      learn(highest);
      // A learned clause with one literal left holds for good; others assert at the level of the rest.
      const Lit asserted = learned_[0];
      if (learned_.size() == 1) {
        backjump(highest - 1);
        const std::uint32_t clause = add_clause(learned_, lemma, 0);
        assign(asserted, 0, clause);
      } else {
        std::size_t second = 1;
        for (std::size_t i = 2; i < learned_.size(); ++i) {
          if (variables_[variable(learned_[i])].level > variables_[variable(learned_[second])].level)
            second = i;
        }
        std::swap(learned_[1], learned_[second]);
        backjump(variables_[variable(learned_[1])].level);
        const std::uint32_t clause = add_clause(learned_, lemma, glue_of(learned_));
        assign(asserted, level(), clause);
      }
      return true;
    }
  }

  std::uint32_t glue_of(std::span<const Lit> lits) {
    levels_scratch_.clear();
    for (const Lit l : lits) levels_scratch_.push_back(variables_[variable(l)].level);
    std::sort(levels_scratch_.begin(), levels_scratch_.end());
    return static_cast<std::uint32_t>(std::unique(levels_scratch_.begin(), levels_scratch_.end()) -
                                      levels_scratch_.begin());
  }

  // First unique implication point of conflict_ at `highest`, into learned_ (asserting literal first). The
  // newest lemma collects what was used.
  void learn(std::uint32_t highest) {
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
      if (variables_[variable(l)].level != highest) continue;
      if (--open == 0) {
        learned_[0] = negate(l);
        break;
      }
      const Clause clause = clauses_[variables_[variable(l)].reason];
      add_parent(clause.proof);
      take(literals(clause));
    }
    shorten_learned();
    for (const std::uint32_t v : seen_) variables_[v].seen = false;
  }

  // Drops literals that the others imply directly.
  void shorten_learned() {
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

  // Forgets the less useful half of the learned clauses; only at level 0, where none is a reason that is
  // needed.
  void forget_clauses() {
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

  // ---- the loop
  // --------------------------------------------------------------------------------------------------

  Answer solve() {
    for (std::uint32_t w = 0; w < reads_.writes(); ++w) suspect(Write{w});
    std::uint64_t restart_at = kRestartAfter, forget_at = kForgetAfter;
    while (true) {
      if (!propagate()) {
        if (!resolve_conflict()) return Answer::unsatisfiable;
        if (budget_.conflicts && stats_.conflicts > *budget_.conflicts) return Answer::gave_up;
        continue;
      }
      if (out_of_budget()) return Answer::gave_up;
      if (stats_.conflicts >= restart_at) {
        restart_at = stats_.conflicts + kRestartAfter * next_in_luby();
        ++stats_.restarts;
        backjump(0);
        if (stats_.conflicts >= forget_at) {
          forget_at = stats_.conflicts + kForgetAfter;
          forget_clauses();
        }
      }
      if (!queue_.empty()) {
        const Write w = queue_.back();
        queue_.pop_back();
        queued_[index(w)] = false;
        if (!repair(w)) {
          if (!resolve_conflict()) return Answer::unsatisfiable;
          if (budget_.conflicts && stats_.conflicts > *budget_.conflicts) return Answer::gave_up;
          // What was wrong with w is so still, unless the jump changed it.
          enqueue(w);
        }
        continue;
      }
      if (!choose_for_ambiguous_reads()) return Answer::satisfiable;
    }
  }

  // Luby's sequence 1 1 2 1 1 2 4 ... by Knuth's reluctant doubling.
  std::uint64_t next_in_luby() {
    if ((luby_u_ & (~luby_u_ + 1)) == luby_v_) {
      ++luby_u_;
      luby_v_ = 1;
    } else {
      luby_v_ *= 2;
    }
    return luby_v_;
  }

  bool out_of_budget() {
    if (budget_.steps && order_.steps() > *budget_.steps) return true;
    return limits_.exceeded();
  }

  // Mends one thing that is wrong between w and the next writer of its key, if anything is. False on a
  // conflict.
  bool repair(Write w) {
    if (!has_next(w)) return true;
    const Write v = next(w);
    const Txn writer = reads_.writer(v);
    if (overlap(w, v)) {
      const Lit first = before(reads_.writer(w), writer);
      assert(value(first) != Value::no);
      enqueue(w);
      if (value(first) == Value::unassigned) {
        decide(preferred(first, true));
        return true;
      }
      return add_edge(p_.commit_of(reads_.writer(w)), p_.begin_of(writer), first, kNoLit);
    }
    const LastReader last = find_last_reader(w);
    if (last.position <= commit_position(v)) return true;
    enqueue(w);
    Lit first = kNoLit;
    if (!reads_.is_initial(w)) {
      first = before(reads_.writer(w), writer);
      assert(value(first) != Value::no);
      if (value(first) == Value::unassigned) {
        // Either the reader moves before v, or v before w: try the shorter way.
        const bool reader_moves =
            last.position - commit_position(v) <= commit_position(v) - commit_position(w);
        decide(preferred(first, reader_moves));
        return true;
      }
    }
    return add_edge(p_.begin_of(last.txn), p_.commit_of(writer), first, last.chosen);
  }

  Lit preferred(Lit l, bool otherwise) const {
    const Variable& v = variables_[variable(l)];
    const bool yes = v.has_phase ? v.phase == ((l & 1U) == 0) : otherwise;
    return yes ? l : negate(l);
  }

  // Finds an ambiguous read that sees none of its candidates in the current order, and decides one. False if
  // all do.
  bool choose_for_ambiguous_reads() {
    const auto ambiguous = p_.ambiguous_reads();
    for (std::size_t i = 0; i < ambiguous.size(); ++i) {
      const auto q = static_cast<std::uint32_t>((next_ambiguous_ + i) % ambiguous.size());
      const Write seen = what_it_sees(q);
      const auto candidates = reads_.candidates(ambiguous[q].set);
      if (std::binary_search(candidates.begin(), candidates.end(), seen)) continue;
      next_ambiguous_ = q;
      if (first_choice_[q] == kNone) {
        introduce_choices(q);
      }
      Lit best = kNoLit;
      std::uint32_t best_distance = kNone;
      const std::uint32_t reader = begin_position(ambiguous[q].reader);
      for (std::uint32_t c = 0; c < candidates.size(); ++c) {
        const Lit l = 2 * (first_choice_[q] + c);
        if (value(l) != Value::unassigned) continue;
        const std::uint32_t at = commit_position(candidates[c]);
        const std::uint32_t distance = at < reader ? reader - at : at - reader;
        if (best == kNoLit || distance < best_distance) {
          best = l;
          best_distance = distance;
        }
      }
      // All false is impossible: the clause over the choices would have been in conflict. One true means that
      // its read constraint is not repaired yet, which the queue sees to first.
      assert(best != kNoLit);
      decide(best);
      return true;
    }
    return false;
  }

  Write what_it_sees(std::uint32_t q) const {
    const Problem::AmbiguousRead& read = p_.ambiguous_reads()[q];
    const auto range = reads_.writes_of(reads_.key(reads_.candidates(read.set)[0]));
    const std::uint32_t reader = begin_position(read.reader);
    std::uint32_t low = index(*range.begin()),
                  high = index(*range.end());  // sorted_[low] is before the reader
    while (high - low > 1) {
      const std::uint32_t middle = low + (high - low) / 2;
      (commit_position(sorted_[middle]) < reader ? low : high) = middle;
    }
    return sorted_[low];
  }

  void introduce_choices(std::uint32_t q) {
    const auto candidates = reads_.candidates(p_.ambiguous_reads()[q].set);
    first_choice_[q] = static_cast<std::uint32_t>(variables_.size());
    std::vector<Lit> clause;
    scratch_txns_.clear();
    scratch_txns_.push_back(p_.ambiguous_reads()[q].reader);
    for (const Write w : candidates) {
      clause.push_back(2 * new_variable(q, index(w), true));
      if (!reads_.is_initial(w)) scratch_txns_.push_back(reads_.writer(w));
    }
    add_clause(clause, new_lemma(scratch_txns_, {}), 0);
  }

  std::uint64_t luby_u_ = 1, luby_v_ = 1;
  static constexpr std::uint64_t kRestartAfter = 256;
  static constexpr std::uint64_t kForgetAfter = 20000;

  // Literals assigned and not yet applied, first come first served.
  class Pending {
   public:
    bool empty() const { return at_ == lits_.size(); }
    void push_back(Lit l) { lits_.push_back(l); }
    Lit front_and_pop() {
      const Lit l = lits_[at_++];
      if (empty()) clear();
      return l;
    }
    void clear() {
      lits_.clear();
      at_ = 0;
    }

   private:
    std::vector<Lit> lits_;
    std::size_t at_ = 0;
  };
  struct LevelBegin {
    std::uint32_t trail, edges, choices;
  };
  struct ChosenReader {
    Lit choice;
    std::uint32_t next;
  };

  const Problem& p_;
  const Reads& reads_;
  const SearchBudget budget_;
  Limits& limits_;
  DynamicOrder order_;

  LargeVector<Write> sorted_;               // per key: its writes in commit order
  LargeVector<std::uint32_t> place_;        // write -> index in sorted_
  LargeVector<std::uint32_t> last_reader_;  // write -> no reader of it begins later than this position
  std::vector<bool> queued_;
  std::vector<Write> touched_;
  std::vector<Write> queue_;  // writes between which and the next one something may be wrong

  std::vector<std::uint32_t> ambiguous_begin_;  // transaction -> its ambiguous reads
  std::vector<std::uint32_t> first_choice_;     // ambiguous read -> variable of its first candidate
  std::vector<std::uint32_t> chosen_readers_;   // write -> newest entry in chosen_pool_
  std::vector<ChosenReader> chosen_pool_;
  std::uint32_t next_ambiguous_ = 0;

  InternTable pairs_;
  std::vector<Variable> variables_;
  std::vector<Lit> trail_;     // above level 0
  std::vector<Lit> for_good_;  // at level 0
  std::size_t applied_for_good_ = 0;
  Pending to_propagate_;
  std::vector<LevelBegin> level_begin_;

  std::vector<Clause> clauses_;
  std::vector<Lit> clause_literals_;
  std::vector<std::vector<Watch>> watches_;
  std::vector<Lit> conflict_, learned_;
  std::uint32_t conflict_proof_ = kNone;
  std::vector<std::uint32_t> seen_, levels_scratch_;

  std::vector<Lemma> lemmas_;
  std::vector<Txn> lemma_txns_;
  std::vector<std::uint32_t> lemma_parents_;
  std::vector<Txn> scratch_txns_;
  SearchStats stats_;
};

}  // namespace

SearchResult search(const Problem& problem, std::span<const Node> order, const SearchBudget& budget,
                    Limits& limits) {
  return Search(problem, order, budget, limits).run();
}

}  // namespace assay::check
