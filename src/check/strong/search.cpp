#include "check/strong/search.hpp"

#include <algorithm>
#include <cassert>

#include "check/strong/blame.hpp"
#include "check/strong/choices.hpp"
#include "check/strong/chosen_readers.hpp"
#include "check/strong/learn.hpp"
#include "check/strong/sightings.hpp"
#include "check/strong/sorted_writes.hpp"
#include "memory/intern.hpp"
#include "memory/work_list.hpp"
#include "order/dynamic_order.hpp"

namespace assay::check {

namespace {

using order::DynamicOrder;

static_assert(kNoLit == DynamicOrder::kNoTag);
constexpr std::uint32_t kNone = 0xFFFFFFFFU;

class Search {
 public:
  Search(Problem& problem, std::span<const Node> order, const SearchBudget& budget, Limits& limits,
         const Refine& refine, Manner manner)
      : p_(problem),
        reads_(problem.reads),
        budget_(budget),
        limits_(limits),
        refine_(refine),
        order_(problem.after(), problem.before(), order),
        writes_(problem, order_),
        last_reader_(reads_.writes(), 0),
        suspects_(reads_.writes(),
                  manner == Manner::from_the_left ? WorkList::Next::lowest : WorkList::Next::newest),
        choices_(problem, budget.choices_at_once),
        sightings_(problem, order_, writes_, choices_) {
    const std::span<const Txn> all = p_.all_readers();
    for (std::uint32_t w = 0, at = 0; w < reads_.writes(); ++w) {
      for (const Txn r : p_.readers(Write{w})) {
        if (at + kSoon < all.size()) order_.prefetch_position(p_.begin_of(all[at + kSoon]));
        ++at;
        last_reader_[w] = std::max(last_reader_[w], begin_position(r));
      }
    }
    if (manner == Manner::from_the_left) {
      learner_.take_short_steps(budget_.farthest_jump);
      restart_after_ = std::max<std::uint64_t>(kRestartAfter, p_.nodes());
    }
    if (manner == Manner::most_active_first) {
      learner_.count_activity();
      forget_after_ = kForgetSoon;
      // All of them are decided again after each.
      restart_after_ = std::max<std::uint64_t>(kRestartAfter, p_.nodes() / 100);
    }
    follow_problem();
    heights_.push_back({0, 0});
  }

  SearchResult run() {
    SearchResult result;
    result.answer = solve();
    result.order.assign(order_.order().begin(), order_.order().end());
    if (result.answer == SearchResult::Answer::unsatisfiable) result.core = learner_.core();
    result.stats = stats_;
    result.stats.variables = learner_.variables();
    result.stats.steps = order_.steps();
    return result;
  }

 private:
  using Answer = SearchResult::Answer;
  using Value = Learner::Value;

  // ---- variables ------------------------------------------------------------------------------------------

  const Meaning& meaning(Lit l) const { return meanings_[variable(l)]; }
  Value value(Lit l) const { return learner_.value(l); }

  std::uint32_t new_variable(std::uint32_t first, std::uint32_t second, bool choice) {
    meanings_.push_back({first, second, choice});
    return learner_.new_variable();
  }

  // "a comes before b".
  Lit before(Txn a, Txn b) {
    const bool swapped = b < a;
    const std::uint32_t first = index(swapped ? b : a), second = index(swapped ? a : b);
    const std::uint32_t fresh = learner_.variables();
    const std::uint32_t v = pairs_.find_or_add(first, second, fresh);
    if (v == fresh) new_variable(first, second, false);
    return 2 * v + (swapped ? 1 : 0);
  }

  // Takes in the ambiguous reads that are new to the problem.
  void follow_problem() {
    choices_.follow_problem();
    sightings_.follow_problem();
    if (!p_.ambiguous_reads().empty()) chosen_.make_room(reads_.writes());
  }

  // ---- positions ------------------------------------------------------------------------------------------

  // Both count from 1, so that the initial write is before all.
  std::uint32_t commit_position(Write w) const { return writes_.position(w); }
  std::uint32_t begin_position(Txn t) const { return order_.position(p_.begin_of(t)) + 1; }

  // ---- what the order violates ----------------------------------------------------------------------------

  void enqueue(Write w) { suspects_.add(index(w), suspects_.by_rank() ? commit_position(w) : 0); }

  // Cheap tests whether something may be wrong between w and the next writer of its key.
  void suspect(Write w) {
    if (!writes_.has_next(w)) return;
    const Write v = writes_.next(w);
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
        const Write old = writes_.previous(w);
        if (writes_.restore_to_the_left(w)) {
          touched_.push_back(w);
          if (exclude) touched_.push_back(old);
        }
        touched_.push_back(writes_.previous(w));
      }
    }
    const std::span<const Node> later = order_.moved_later();
    for (std::size_t i = later.size(); i-- > 0;) {
      for (const Write w : writes_of_commit(later[i])) {
        const Write old = writes_.previous(w);
        if (writes_.restore_to_the_right(w)) {
          touched_.push_back(w);
          touched_.push_back(writes_.previous(w));
          if (exclude) touched_.push_back(old);
        } else if (exclude) {
          touched_.push_back(w);
        }
      }
    }
    // Neighbours are final only now.
    for (const Write w : touched_) suspect(w);
    sightings_.follow_moves(touched_);
    for (const Node u : later) {
      if (!p_.is_event(u) || !p_.is_begin(u)) continue;
      const std::uint32_t position = begin_position(p_.txn_of(u));
      for_each_source(p_.txn_of(u), [&](Write w) {
        last_reader_[index(w)] = std::max(last_reader_[index(w)], position);
        if (writes_.has_next(w) && commit_position(writes_.next(w)) < position) enqueue(w);
      });
    }
    if (!exclude) return;
    for (const Node u : order_.moved_earlier()) {
      if (!p_.is_event(u) || !p_.is_begin(u)) continue;
      for (const Write w : reads_.writes_of(p_.txn_of(u))) suspect(writes_.previous(w));
    }
  }

  template <class Visit>
  void for_each_source(Txn t, Visit visit) const {
    for (const Source source : reads_.reads_of(t)) {
      if (!source.is_ambiguous()) visit(source.write());
    }
    for (std::uint32_t q = choices_.first_of(t); q != Choices::kNone; q = choices_.next(q)) {
      for (const Lit l : choices_.literals(q)) {
        if (value(l) == Value::yes && meaning(l).second != kAnother) visit(Write{meaning(l).second});
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
    chosen_.for_each(w, [&](Lit choice) {
      const Txn r = p_.ambiguous_reads()[meaning(choice).first].reader;
      const std::uint32_t position = begin_position(r);
      if (position > last.position) last = {position, r, choice};
    });
    last_reader_[index(w)] = last.position;
    return last;
  }

  // ---- assignments ----------------------------------------------------------------------------------------

  void decide(Lit l) {
    ++stats_.decisions;
    heights_.push_back({order_.height(), chosen_.height()});
    learner_.decide(l);
  }

  std::uint32_t level_of(DynamicOrder::Tags tags) const {
    std::uint32_t highest = 0;
    for (const Lit l : {tags.first, tags.second}) {
      if (l != kNoLit) highest = std::max(highest, learner_.level_of(l));
    }
    return highest;
  }

  // Adds an edge that follows from the tags. A cycle is a conflict.
  bool add_edge(Node from, Node to, Lit a, Lit b) {
    const DynamicOrder::Tags tags{a, b};
    if (order_.add(from, to, tags, level_of(tags) == 0)) {
      if (!order_.moved_later().empty()) {
        ++stats_.repairs;
        follow_moves();
      }
      return true;
    }
    clause_.clear();
    for (const DynamicOrder::Hop& hop : order_.cycle()) {
      for (const Lit l : {hop.tags.first, hop.tags.second}) {
        if (hop.added && l != kNoLit) clause_.push_back(negate(l));
      }
    }
    blame(p_, order_.cycle(), meanings_, scratch_txns_);
    learner_.set_conflict(clause_, scratch_txns_);
    return false;
  }

  // What a literal says about the order.
  bool apply(Lit l) {
    const Meaning& v = meaning(l);
    if (!v.choice) {
      const bool yes = is_positive(l);
      const Txn a{yes ? v.first : v.second}, b{yes ? v.second : v.first};
      return add_edge(p_.commit_of(a), p_.overwrites(b), l, kNoLit);
    }
    if (!is_positive(l)) return true;
    if (v.second == kAnother) {
      if (choices_.brings_more(v.first, l)) introduce_choices(v.first);
      return true;
    }
    const Write w{v.second};
    const Txn r = p_.ambiguous_reads()[v.first].reader;
    if (!reads_.is_initial(w) && !add_edge(p_.commit_of(reads_.writer(w)), p_.begin_of(r), l, kNoLit))
      return false;
    chosen_.add(l, w);
    last_reader_[index(w)] = std::max(last_reader_[index(w)], begin_position(r));
    suspect(w);
    return true;
  }

  // A jump back has taken back what was assigned above `level`.
  void undo_to(std::uint32_t level) {
    const Heights& heights = heights_[level + std::size_t{1}];
    chosen_.undo_to(heights.choices, [this](Lit choice) {
      return value(choice) == Value::yes &&
             learner_.level_of(choice) == 0;  // others that stay come due again
    });
    order_.undo_to(heights.edges);
    heights_.resize(level + std::size_t{1});
  }
  bool resolve_conflict() {
    ++stats_.conflicts;
    return learner_.resolve_conflict([this](std::uint32_t level) { undo_to(level); });
  }

  // Applies what has been assigned, to the order and to the clauses. False on a conflict.
  bool propagate() {
    for (Learner::Due due = learner_.next_due(); due.lit != kNoLit; due = learner_.next_due()) {
      if (!apply(due.lit) || !learner_.imply(due.lit)) return false;
      learner_.done(due);
    }
    return true;
  }

  // ---- the loop -------------------------------------------------------------------------------------------

  // What comes first in the order is mended first: from one repair to the next the tables stay in the cache.
  void suspect_all() {
    for (std::uint32_t w = 0; w < reads_.writes(); ++w) {
      if (w + kSoon < reads_.writes()) writes_.prefetch_position(Write{w + kSoon});
      suspect(Write{w});
    }
    suspects_.sort([this](std::uint32_t w) { return commit_position(Write{w}); });
  }

  Answer solve() {
    suspect_all();
    std::uint64_t restart_at = restart_after_, forget_at = forget_after_;
    while (true) {
      if (!propagate()) {
        if (!resolve_conflict()) return Answer::unsatisfiable;
        if (budget_.conflicts && stats_.conflicts > *budget_.conflicts) return Answer::gave_up;
        continue;
      }
      if (out_of_budget()) return Answer::gave_up;
      if (stats_.conflicts >= restart_at) {
        restart_at = stats_.conflicts + restart_after_ * luby_.next();
        ++stats_.restarts;
        learner_.backjump(0, [this](std::uint32_t level) { undo_to(level); });
        if (stats_.conflicts >= forget_at) {
          forget_at = stats_.conflicts + forget_after_;
          learner_.forget();
        }
      }
      if (const Lit active = learner_.most_active(); active != kNoLit) {
        decide(active);
        continue;
      }
      if (!suspects_.empty()) {
        const Write w{suspects_.take()};
        if (!repair(w)) {
          if (!resolve_conflict()) return Answer::unsatisfiable;
          if (budget_.conflicts && stats_.conflicts > *budget_.conflicts) return Answer::gave_up;
          // What was wrong with w is so still, unless the jump changed it.
          enqueue(w);
        }
        continue;
      }
      if (choose_for_ambiguous_reads()) continue;
      if (!refine_) return Answer::satisfiable;
      switch (refine_(p_, order_.order())) {
        case Refinement::nothing_is_wrong:
          return limits_.exceeded() ? Answer::gave_up : Answer::satisfiable;
        case Refinement::no_order_can_be_right:
          return Answer::refused;
        case Refinement::reads_were_added:
          follow_problem();
      }
    }
  }

  bool out_of_budget() {
    if (budget_.steps && order_.steps() > *budget_.steps) return true;
    return limits_.exceeded();
  }

  // Mends one thing that is wrong between w and the next writer of its key, if anything is. False on a
  // conflict.
  bool repair(Write w) {
    if (!writes_.has_next(w)) return true;
    const Write v = writes_.next(w);
    const Txn writer = reads_.writer(v);
    if (overlap(w, v)) {
      const Lit first = before(reads_.writer(w), writer);
      assert(value(first) != Value::no);
      enqueue(w);
      if (value(first) == Value::unassigned) {
        decide(learner_.preferred(first, true));
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
        decide(learner_.preferred(first, reader_moves));
        return true;
      }
    }
    return add_edge(p_.begin_of(last.txn), p_.commit_of(writer), first, last.chosen);
  }

  // Finds an ambiguous read that sees none of its candidates in the current order, and decides one. False if
  // all do.
  bool choose_for_ambiguous_reads() {
    const std::uint32_t q = sightings_.find_blind(next_ambiguous_);
    if (q == Sightings::kNone) return false;
    next_ambiguous_ = q;
    if (choices_.literals(q).empty()) {
      introduce_choices(q);
      // An only one is no choice: it holds for good.
      if (p_.candidates(p_.ambiguous_reads()[q]).size() == 1) return true;
    }
    decide(nearest_choice(q));
    return true;
  }

  // Of those that are open.
  Lit nearest_choice(std::uint32_t q) const {
    Lit best = kNoLit;
    std::uint32_t best_distance = kNone;
    for (const Lit l : choices_.literals(q)) {
      if (value(l) != Value::unassigned) continue;
      const std::uint32_t distance =
          meaning(l).second == kAnother ? kNone : distance_to(q, Write{meaning(l).second});
      if (best == kNoLit || distance < best_distance) {
        best = l;
        best_distance = distance;
      }
    }
    // All false is impossible: the clause over the choices would have been in conflict. One true means that
    // its read constraint is not repaired yet, which the queue sees to first.
    assert(best != kNoLit);
    return best;
  }

  std::uint32_t distance_to(std::uint32_t q, Write w) const {
    const std::uint32_t reader = begin_position(p_.ambiguous_reads()[q].reader), at = commit_position(w);
    return at < reader ? reader - at : at - reader;
  }

  void introduce_choices(std::uint32_t q) {
    const Choices::Batch batch = choices_.introduce(
        q, [&](Write w) { return distance_to(q, w); },
        [&](std::uint32_t write) { return new_variable(q, write, true); });
    scratch_txns_.assign(1, p_.ambiguous_reads()[q].reader);
    for (const Write w : batch.candidates) {
      if (!reads_.is_initial(w)) scratch_txns_.push_back(reads_.writer(w));
    }
    learner_.add_clause(batch.clause, scratch_txns_);
  }

  static constexpr std::uint32_t kSoon = 24;  // lookups ahead
  static constexpr std::uint64_t kRestartAfter = 256;
  static constexpr std::uint64_t kForgetAfter = 20000, kForgetSoon = 2000;

  // At the beginning of a level.
  struct Heights {
    std::uint32_t edges, choices;
  };

  Problem& p_;
  const Reads& reads_;
  const SearchBudget budget_;
  Limits& limits_;
  const Refine& refine_;
  DynamicOrder order_;

  SortedWrites writes_;
  LargeVector<std::uint32_t> last_reader_;  // write -> no reader of it begins later than this position
  std::vector<Write> touched_;
  WorkList suspects_;  // writes between which and the next one something may be wrong

  Choices choices_;       // of ambiguous reads
  ChosenReaders chosen_;  // those that are made
  Sightings sightings_;   // what ambiguous reads see
  std::uint32_t next_ambiguous_ = 0;

  Luby luby_;
  std::uint64_t restart_after_ = kRestartAfter, forget_after_ = kForgetAfter;
  Learner learner_;
  InternTable pairs_;
  std::vector<Meaning> meanings_;  // of the learner's variables
  std::vector<Heights> heights_;   // by level
  std::vector<Lit> clause_;
  std::vector<Txn> scratch_txns_;
  SearchStats stats_;
};

}  // namespace

SearchResult search(Problem& problem, std::span<const Node> order, const SearchBudget& budget, Limits& limits,
                    const Refine& refine, Manner manner) {
  return Search(problem, order, budget, limits, refine, manner).run();
}

}  // namespace assay::check
