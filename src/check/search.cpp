#include "check/search.hpp"

#include <algorithm>
#include <cassert>

#include "check/learn.hpp"
#include "check/sorted_writes.hpp"
#include "history/intern.hpp"
#include "order/dynamic_order.hpp"

namespace assay::check {

namespace {

using order::DynamicOrder;

static_assert(kNoLit == DynamicOrder::kNoTag);
constexpr std::uint32_t kNone = 0xFFFFFFFFU;

class Search {
 public:
  Search(const Problem& problem, std::span<const Node> order, const SearchBudget& budget, Limits& limits)
      : p_(problem),
        reads_(problem.reads),
        budget_(budget),
        limits_(limits),
        order_(problem.after(), problem.before(), order),
        writes_(problem, order_),
        last_reader_(reads_.writes(), 0),
        queued_(reads_.writes(), false) {
    for (std::uint32_t w = 0; w < reads_.writes(); ++w) {
      for (const Txn r : p_.readers(Write{w})) last_reader_[w] = std::max(last_reader_[w], begin_position(r));
    }
    if (!p_.ambiguous_reads().empty()) {
      first_choice_.assign(p_.ambiguous_reads().size(), kNone);
      chosen_readers_.assign(reads_.writes(), kNone);
      ambiguous_begin_.assign(reads_.transactions() + std::size_t{1}, 0);
      for (const Problem::AmbiguousRead& read : p_.ambiguous_reads())
        ++ambiguous_begin_[index(read.reader) + 1];
      for (std::uint32_t t = 0; t < reads_.transactions(); ++t)
        ambiguous_begin_[t + 1] += ambiguous_begin_[t];
    }
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

  // ---- variables
  // -------------------------------------------------------------------------------------------------

  // What a variable stands for: a pair of transactions that write a key in common (true: first before
  // second), or the choice of one write for an ambiguous read (first: index of the read, second: the write).
  struct Meaning {
    std::uint32_t first, second;
    bool choice;
  };
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

  // ---- positions
  // -------------------------------------------------------------------------------------------------

  // Both count from 1, so that the initial write is before all.
  std::uint32_t commit_position(Write w) const { return writes_.position(w); }
  std::uint32_t begin_position(Txn t) const { return order_.position(p_.begin_of(t)) + 1; }

  // ---- what the order violates
  // -----------------------------------------------------------------------------------

  void enqueue(Write w) {
    if (queued_[index(w)]) return;
    queued_[index(w)] = true;
    queue_.push_back(w);
  }

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
        const Txn r = p_.ambiguous_reads()[meaning(choice).first].reader;
        const std::uint32_t position = begin_position(r);
        if (position > last.position) last = {position, r, choice};
      }
    }
    last_reader_[index(w)] = last.position;
    return last;
  }

  // ---- assignments
  // -----------------------------------------------------------------------------------------------

  void decide(Lit l) {
    ++stats_.decisions;
    heights_.push_back({order_.height(), static_cast<std::uint32_t>(chosen_pool_.size())});
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
    learner_.set_conflict(clause_, transactions_of_cycle());
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
    const Write w{v.second};
    const Txn r = p_.ambiguous_reads()[v.first].reader;
    if (!reads_.is_initial(w) && !add_edge(p_.commit_of(reads_.writer(w)), p_.begin_of(r), l, kNoLit))
      return false;
    link_choice(l);
    last_reader_[index(w)] = std::max(last_reader_[index(w)], begin_position(r));
    suspect(w);
    return true;
  }

  // A jump back has taken back what was assigned above `level`.
  void undo_to(std::uint32_t level) {
    undo_choices(heights_[level + std::size_t{1}].choices);
    order_.undo_to(heights_[level + std::size_t{1}].edges);
    heights_.resize(level + std::size_t{1});
  }
  bool resolve_conflict() {
    ++stats_.conflicts;
    return learner_.resolve_conflict([this](std::uint32_t level) { undo_to(level); });
  }

  void undo_choices(std::uint32_t height) {
    std::vector<Lit> stay;  // made for good in between
    while (chosen_pool_.size() > height) {
      const auto [choice, next] = chosen_pool_.back();
      chosen_pool_.pop_back();
      chosen_readers_[meaning(choice).second] = next;
      if (value(choice) == Value::yes) stay.push_back(choice);
    }
    for (std::size_t i = stay.size(); i-- > 0;) link_choice(stay[i]);
  }

  void link_choice(Lit choice) {
    std::uint32_t& newest = chosen_readers_[meaning(choice).second];
    chosen_pool_.push_back({choice, newest});
    newest = static_cast<std::uint32_t>(chosen_pool_.size() - 1);
  }

  // Applies what has been assigned, to the order and to the clauses. False on a conflict.
  bool propagate() {
    for (Learner::Due due = learner_.next_due(); due.lit != kNoLit; due = learner_.next_due()) {
      if (!apply(due.lit) || !learner_.imply(due.lit)) return false;
      learner_.done(due);
    }
    return true;
  }

  // The transactions of the cycle just found; inner transactions of a run along a session are not needed.
  std::span<const Txn> transactions_of_cycle() {
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
        const Meaning& v = meaning(l);
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
    return scratch_txns_;
  }

  bool is_session_hop(const DynamicOrder::Hop& hop) const {
    if (hop.added || !p_.keep_sessions || !p_.is_event(hop.from) || !p_.is_event(hop.to)) return false;
    const Txn a = p_.txn_of(hop.from), b = p_.txn_of(hop.to);
    return a == b || (index(b) == index(a) + 1 && p_.history.session_of(a) == p_.history.session_of(b));
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
        learner_.backjump(0, [this](std::uint32_t level) { undo_to(level); });
        if (stats_.conflicts >= forget_at) {
          forget_at = stats_.conflicts + kForgetAfter;
          learner_.forget();
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
    return writes_.last_before(reads_.key(reads_.candidates(read.set)[0]), begin_position(read.reader));
  }

  void introduce_choices(std::uint32_t q) {
    const auto candidates = reads_.candidates(p_.ambiguous_reads()[q].set);
    first_choice_[q] = learner_.variables();
    clause_.clear();
    scratch_txns_.clear();
    scratch_txns_.push_back(p_.ambiguous_reads()[q].reader);
    for (const Write w : candidates) {
      clause_.push_back(2 * new_variable(q, index(w), true));
      if (!reads_.is_initial(w)) scratch_txns_.push_back(reads_.writer(w));
    }
    learner_.add_clause(clause_, scratch_txns_);
  }

  std::uint64_t luby_u_ = 1, luby_v_ = 1;
  static constexpr std::uint64_t kRestartAfter = 256;
  static constexpr std::uint64_t kForgetAfter = 20000;

  // At the beginning of a level.
  struct Heights {
    std::uint32_t edges, choices;
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

  SortedWrites writes_;
  LargeVector<std::uint32_t> last_reader_;  // write -> no reader of it begins later than this position
  std::vector<bool> queued_;
  std::vector<Write> touched_;
  std::vector<Write> queue_;  // writes between which and the next one something may be wrong

  std::vector<std::uint32_t> ambiguous_begin_;  // transaction -> its ambiguous reads
  std::vector<std::uint32_t> first_choice_;     // ambiguous read -> variable of its first candidate
  std::vector<std::uint32_t> chosen_readers_;   // write -> newest entry in chosen_pool_
  std::vector<ChosenReader> chosen_pool_;
  std::uint32_t next_ambiguous_ = 0;

  Learner learner_;
  InternTable pairs_;
  std::vector<Meaning> meanings_;  // of the learner's variables
  std::vector<Heights> heights_;   // by level
  std::vector<Lit> clause_;
  std::vector<Txn> scratch_txns_;
  SearchStats stats_;
};

}  // namespace

SearchResult search(const Problem& problem, std::span<const Node> order, const SearchBudget& budget,
                    Limits& limits) {
  return Search(problem, order, budget, limits).run();
}

}  // namespace assay::check
