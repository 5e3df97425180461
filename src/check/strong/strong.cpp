#include "check/strong/strong.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "check/derivation.hpp"
#include "check/phase_clock.hpp"
#include "check/strong/derive.hpp"
#include "check/strong/problem.hpp"
#include "check/strong/query/refine.hpp"
#include "check/strong/schedule.hpp"
#include "check/strong/search.hpp"
#include "check/strong/settle.hpp"

namespace assay::check {

namespace {

constexpr std::string_view kKnownOrder = "known order";

[[maybe_unused]] bool fates_are_settled(const Reads& reads) {
  for (std::uint32_t t = 0; t < reads.transactions(); ++t) {
    if (reads.presence(Txn{t}) == Presence::conditional) return false;
  }
  return true;
}

// Every topological order can come out; for tests of the search.
std::vector<Node> random_order(const Problem& problem, std::uint64_t seed) {
  std::vector<std::uint32_t> missing(problem.nodes());
  std::vector<Node> ready, order;
  for (Node u = 0; u < problem.nodes(); ++u) {
    missing[u] = static_cast<std::uint32_t>(problem.before()[u].size());
    if (missing[u] == 0) ready.push_back(u);
  }
  while (!ready.empty()) {
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    std::swap(ready[(seed >> 33) % ready.size()], ready.back());
    const Node u = ready.back();
    ready.pop_back();
    order.push_back(u);
    for (const Node v : problem.after()[u]) {
      if (--missing[v] == 0) ready.push_back(v);
    }
  }
  return order;
}

class Decision {
 public:
  Decision(const History& history, const Reads& reads, Level level, const Options& options, Limits& limits,
           const Ladder& ladder, const QueryPlan* queries, const Outcome* serial)
      : h_(history),
        reads_(reads),
        options_(options),
        limits_(limits),
        ladder_(ladder),
        queries_(queries),
        serial_(serial) {
    outcome_.level = level;
  }

  Outcome run() {
    if (!reads_.bad_reads().empty()) {
      outcome_.verdict = Verdict::violated;
      outcome_.method = "reads";
      outcome_.bad_reads.assign(reads_.bad_reads().begin(), reads_.bad_reads().end());
      return std::move(outcome_);
    }
    // Without times, a violation can still be found: of what the level promises besides.
    StrongLevel level = strong_level(outcome_.level);
    const bool times_missing = level.real_time && !h_.has_times();
    if (times_missing) level.real_time = false;
    if (queries_ != nullptr) {
      clock_.enter("queries");
      refinement_.emplace(*queries_, h_, reads_, ladder_.missed_rows_at_once, limits_);
      refine_ = [this](Problem& problem, std::span<const Node> order) {
        return refinement_->look_at(problem, order);
      };
    }
    climb(level);
    if (times_missing) cannot_hold("the level speaks of real time, and the history has no times");
    if (!reads_.not_understood().empty()) cannot_hold(reads_.not_understood());
    if (queries_ != nullptr && !queries_->left_out().empty()) cannot_hold(queries_->left_out());
    count("transactions", reads_.transactions());
    count("forced by the schedule", forced_);
    count("edges settled", settled_);
    count("variables", stats_.variables);
    count("decisions", stats_.decisions);
    count("conflicts", stats_.conflicts);
    count("repairs", stats_.repairs);
    count("restarts", stats_.restarts);
    count("nodes visited", stats_.steps);
    if (refinement_) {
      count("queries", queries_->asked().size());
      count("orders replayed", refinement_->replays());
      count("missed rows looked at", refinement_->reads_added());
    }
    outcome_.phases = clock_.phases();
    return std::move(outcome_);
  }

 private:
  void climb(StrongLevel level) {
    // Before anything is built for the level itself: where this answers, the larger problem is never needed.
    if (level.two_events && ladder_.serializable_first && try_serializable(level)) return;
    clock_.enter("order");
    Problem problem(ask(level));
    if (refinement_) refinement_->add_to(problem);
    if (limits_.exceeded_now()) return undecided();
    clock_.enter("schedule");
    progress("scheduling");
    Schedule schedule = run_greedily(problem, limits_);
    forced_ = schedule.forced;
    if (limits_.exceeded_now()) return undecided();
    if (schedule.known_cycle) {
      outcome_.method = kKnownOrder;
      return violated(problem, known_cycle(problem));
    }
    if (schedule.forced == 0 && ladder_.accept_schedule) {
      outcome_.method = "schedule";
      if (settled(problem, schedule.order)) return;
    }
    std::vector<Node> order =
        ladder_.random_start ? random_order(problem, *ladder_.random_start) : std::move(schedule.order);
    if (!ladder_.saturate_at_once) {
      if (!ladder_.settle_at_once) {
        clock_.enter("search");
        progress("searching");
        const SearchResult found = search(problem, order, first_budget(problem), limits_, refine_);
        add(found.stats);
        outcome_.method = "search";
        if (tell(problem, found)) return;
        if (limits_.exceeded_now()) return undecided();
      }
      if (tell(problem, search_settled(problem))) return;
      if (limits_.exceeded_now()) return undecided();
    }
    climb_higher(problem);
  }

  // A schedule explains the reads that it knows; what queries did not return must be asked of its order. False
  // if the search has to go on from it.
  bool settled(Problem& problem, std::span<const Node> order) {
    if (!refinement_) {
      holds(problem, order);
      return true;
    }
    // Reads that earlier orders made known are the search's business.
    if (!problem.has_added_reads()) {
      switch (refinement_->look_at(problem, order)) {
        case Refinement::nothing_is_wrong:
          limits_.exceeded() ? undecided() : holds(problem, order);
          return true;
        case Refinement::no_order_can_be_right:
          refused();
          return true;
        case Refinement::reads_were_added:
          break;
      }
    }
    return false;
  }

  // Takes what follows near by as known order, then schedules and searches.
  SearchResult search_settled(const Problem& problem) {
    clock_.enter("settle");
    progress("settling");
    SearchResult result;
    Settling settling(problem, ladder_.settling, limits_);
    const Settling::Result settled = settling.run();
    settled_ += settling.edges().size();
    outcome_.method = "settling";
    if (settled == Settling::Result::cycle) {
      result.answer = SearchResult::Answer::unsatisfiable;
      result.core = settling.core_of_cycle();
    }
    if (settled != Settling::Result::settled) return result;
    Problem stronger(ask(problem.level), settling.essential_edges());
    if (refinement_) refinement_->add_to(stronger);
    clock_.enter("schedule");
    Schedule schedule = run_greedily(stronger, limits_, settling.order());
    if (limits_.exceeded_now()) return result;
    if (schedule.forced == 0 && ladder_.accept_schedule && !refinement_) {
      outcome_.method = "settling, schedule";
      result.answer = SearchResult::Answer::satisfiable;
      result.order = std::move(schedule.order);
      return result;
    }
    if (ladder_.random_start) schedule.order = random_order(stronger, *ladder_.random_start);
    clock_.enter("search");
    progress("searching");
    outcome_.method = "settling, search";
    result = search(stronger, schedule.order, later_budget(problem), limits_, refine_, Manner::from_the_left);
    add(result.stats);
    // The settled edges were taken as known; what they rest on belongs to the core.
    if (result.answer == SearchResult::Answer::unsatisfiable)
      result.core = settling.with_premises(result.core);
    return result;
  }

  void climb_higher(const Problem& problem) {
    clock_.enter("saturate");
    progress("saturating");
    Saturation saturation(problem, ladder_.saturation, limits_);
    const Saturation::Result result = saturation.run();
    count("edges by rule overwritten", saturation.added_by(Rule::overwritten));
    count("edges by rule anti-dependency",
          saturation.added_by(Rule::anti_dependency) + saturation.added_by(Rule::initial));
    count("edges by rule first committer", saturation.added_by(Rule::first_committer));
    if (limits_.exceeded_now()) return undecided();
    if (result == Saturation::Result::cycle) {
      outcome_.method = "saturation";
      return violated(problem, saturation.core_of_cycle());
    }
    // Without enough memory for the clocks what was found so far is used all the same: it holds.
    std::vector<Problem::Edge> forced;
    for (const Forced::Edge& edge : saturation.edges()) forced.push_back({edge.from, edge.to});
    Problem stronger(ask(problem.level), forced);
    if (refinement_) refinement_->add_to(stronger);
    clock_.enter("schedule");
    Schedule schedule = run_greedily(stronger, limits_);
    if (limits_.exceeded_now()) return undecided();
    if (schedule.forced == 0 && ladder_.accept_schedule) {
      outcome_.method = "saturation, schedule";
      if (settled(stronger, schedule.order)) return;
    }
    const std::vector<Node> order =
        ladder_.random_start ? random_order(stronger, *ladder_.random_start) : std::move(schedule.order);
    clock_.enter("search");
    progress("searching");
    SearchResult found = search(stronger, order, unlimited(), limits_, refine_, Manner::most_active_first);
    add(found.stats);
    outcome_.method = "saturation, search";
    // The forced edges were taken as known; what they rest on belongs to the core.
    if (found.answer == SearchResult::Answer::unsatisfiable)
      found.core = saturation.with_premises(found.core);
    if (!tell(problem, found)) undecided();
  }

  SearchBudget unlimited() const { return {{}, {}, ladder_.choices_at_once, ladder_.farthest_jump}; }
  SearchBudget conflicts(std::uint64_t most) const {
    SearchBudget budget = unlimited();
    budget.conflicts = ladder_.first_conflicts.value_or(most);
    return budget;
  }
  // Before settling. With session order much is known, and the search seldom needs more. Without it, the search should cost
  // no more than settling does.
  SearchBudget first_budget(const Problem& problem) const {
    return problem.keep_sessions ? later_budget(problem) : conflicts(5000);
  }
  SearchBudget later_budget(const Problem& problem) const { return conflicts(20000 + problem.nodes()); }

  Question ask(StrongLevel level) const {
    return {h_,
            reads_,
            level,
            options_.sessions == SessionOrder::keep,
            clock_drift(h_, options_),
            options_.known};
  }

  // A serial order satisfies every level here. Worth a bounded search: one event per transaction is a smaller
  // problem, and most databases that promise less keep more most of the time.
  bool try_serializable(StrongLevel level) {
    if (serial_ != nullptr) return settled_by_serial(level);
    clock_.enter("serializable first");
    progress("trying a serial order");
    Problem serial(ask(strong_level(level.real_time ? Level::strict_serializable : Level::serializable)));
    const Schedule schedule = run_greedily(serial, limits_);
    if (schedule.known_cycle || limits_.exceeded_now()) return false;
    std::vector<Node> order = schedule.order;
    if (schedule.forced > 0 || refinement_) {
      SearchResult found;
      if (!ladder_.settle_at_once) {
        found = search(serial, order, first_budget(serial), limits_, refine_);
        add(found.stats);
      }
      if (found.answer == SearchResult::Answer::gave_up && !limits_.exceeded_now())
        found = search_settled(serial);
      if (found.answer == SearchResult::Answer::refused) return refused();
      if (found.answer == SearchResult::Answer::unsatisfiable) return violated_too(level, found.core);
      if (found.answer != SearchResult::Answer::satisfiable) return false;
      order = std::move(found.order);
    }
    for (const Node u : order) {
      if (serial.is_event(u) && reads_.presence(serial.txn_of(u)) != Presence::absent)
        run_whole(serial.txn_of(u));
    }
    return holds_by_serial_order();
  }
  void run_whole(Txn t) {
    outcome_.order.push_back({t, Event::Side::begin});
    outcome_.order.push_back({t, Event::Side::commit});
  }
  bool holds_by_serial_order() {
    outcome_.method = "serial order";
    outcome_.verdict = Verdict::holds;
    return true;
  }

  // The same, where it was tried before.
  bool settled_by_serial(StrongLevel level) {
    switch (serial_->verdict) {
      case Verdict::holds:
        for (const Event& event : serial_->order) run_whole(event.txn);
        return holds_by_serial_order();
      case Verdict::violated:
        // What the known order contradicts, that of the level itself does too, or not: it is soon seen.
        return serial_->method != kKnownOrder && !serial_->core.empty() && violated_too(level, serial_->core);
      case Verdict::undecided:
        break;
    }
    return false;
  }

  // What cannot be serialized often cannot be at the asked level either: looking at those few transactions is
  // cheap.
  bool violated_too(StrongLevel level, std::span<const Txn> core) {
    auto derivation = derive_contradiction(ask(level), core, limits_);
    if (!derivation) return false;
    outcome_.verdict = Verdict::violated;
    outcome_.method = "core of serializability";
    outcome_.core.assign(core.begin(), core.end());
    outcome_.derivation = std::move(*derivation);
    return true;
  }

  bool tell(const Problem& problem, const SearchResult& found) {
    switch (found.answer) {
      case SearchResult::Answer::satisfiable:
        holds(problem, found.order);
        return true;
      case SearchResult::Answer::unsatisfiable:
        violated(problem, found.core);
        return true;
      case SearchResult::Answer::refused:
        return refused();
      case SearchResult::Answer::gave_up:
        break;
    }
    return false;
  }

  void holds(const Problem& problem, std::span<const Node> order) {
    outcome_.verdict = Verdict::holds;
    outcome_.order.reserve(order.size());
    for (const Node u : order) {
      if (!problem.is_event(u) || reads_.presence(problem.txn_of(u)) == Presence::absent) continue;
      outcome_.order.push_back(
          {problem.txn_of(u), problem.is_commit(u) ? Event::Side::commit : Event::Side::begin});
    }
  }

  void violated(const Problem& problem, std::span<const Txn> core) {
    clock_.enter("derive");
    outcome_.verdict = Verdict::violated;
    outcome_.core.assign(core.begin(), core.end());
    if (auto derivation = derive_contradiction(problem, core, limits_))
      outcome_.derivation = std::move(*derivation);
  }

  // A query did not return a row that it would have seen in every order.
  bool refused() {
    outcome_.verdict = Verdict::violated;
    outcome_.method = "reads";
    outcome_.bad_reads = refinement_->bad_reads();
    return true;
  }

  void undecided() { outcome_.reason = limits_.reason(); }

  void cannot_hold(std::string_view reason) {
    if (outcome_.verdict != Verdict::holds) return;
    outcome_.verdict = Verdict::undecided;
    outcome_.reason = reason;
    outcome_.order.clear();
  }

  // The transactions of a cycle of the known order.
  std::vector<Txn> known_cycle(const Problem& problem) {
    Saturation saturation(problem, {}, limits_);
    saturation.run();
    return saturation.core_of_cycle();
  }

  void add(const SearchStats& stats) {
    stats_.variables += stats.variables;
    stats_.decisions += stats.decisions;
    stats_.conflicts += stats.conflicts;
    stats_.repairs += stats.repairs;
    stats_.restarts += stats.restarts;
    stats_.steps += stats.steps;
  }
  void count(std::string_view name, std::uint64_t value) { outcome_.counts.push_back({name, value}); }
  void progress(std::string_view phase) const {
    if (options_.progress) options_.progress(phase);
  }

  const History& h_;
  const Reads& reads_;
  const Options& options_;
  Limits& limits_;
  const Ladder& ladder_;
  const QueryPlan* queries_;  // nullptr: none to look at
  const Outcome* serial_;     // nullptr: a serial order was not looked for
  std::optional<QueryRefinement> refinement_;
  Refine refine_;
  Outcome outcome_;
  PhaseClock clock_;
  SearchStats stats_;
  std::uint64_t forced_ = 0, settled_ = 0;
};

}  // namespace

Outcome decide_strong(const History& history, const Reads& reads, Level level, const Options& options,
                      Limits& limits, const Ladder& ladder, const QueryPlan* queries, const Outcome* serial) {
  assert(implies(level, Level::prefix));
  assert(fates_are_settled(reads));
  return Decision(history, reads, level, options, limits, ladder, queries, serial).run();
}

Level serial_level(Level level) {
  return strong_level(level).real_time ? Level::strict_serializable : Level::serializable;
}

}  // namespace assay::check
