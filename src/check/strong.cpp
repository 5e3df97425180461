#include "check/strong.hpp"

#include <algorithm>
#include <utility>

#include "check/derive.hpp"
#include "check/phase_clock.hpp"
#include "check/problem.hpp"
#include "check/schedule.hpp"
#include "check/search.hpp"

namespace assay::check {

namespace {

std::chrono::nanoseconds clock_drift(const History& history, const Options& options) {
  if (options.clock_drift) return *options.clock_drift;
  return history.clocks() == Clocks::one ? std::chrono::nanoseconds(0) : std::chrono::milliseconds(100);
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
           const Ladder& ladder)
      : h_(history), reads_(reads), options_(options), limits_(limits), ladder_(ladder) {
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
    climb(level);
    if (times_missing) cannot_hold("the level speaks of real time, and the history has no times");
    if (!reads_.not_understood().empty()) cannot_hold(reads_.not_understood());
    count("transactions", reads_.transactions());
    count("forced by the schedule", forced_);
    count("variables", stats_.variables);
    count("decisions", stats_.decisions);
    count("conflicts", stats_.conflicts);
    count("repairs", stats_.repairs);
    count("restarts", stats_.restarts);
    count("nodes visited", stats_.steps);
    outcome_.phases = clock_.phases();
    return std::move(outcome_);
  }

 private:
  void climb(StrongLevel level) {
    // Before anything is built for the level itself: where this answers, the larger problem is never needed.
    if (level.two_events && ladder_.serializable_first && try_serializable(level)) return;
    clock_.enter("order");
    const Problem problem(ask(level));
    if (limits_.exceeded_now()) return undecided();
    clock_.enter("schedule");
    progress("scheduling");
    Schedule schedule = run_greedily(problem, limits_);
    forced_ = schedule.forced;
    if (limits_.exceeded_now()) return undecided();
    if (schedule.known_cycle) {
      outcome_.method = "known order";
      return violated(problem, known_cycle(problem));
    }
    if (schedule.forced == 0 && ladder_.accept_schedule) {
      outcome_.method = "schedule";
      return holds(problem, schedule.order);
    }
    std::vector<Node> order =
        ladder_.random_start ? random_order(problem, *ladder_.random_start) : std::move(schedule.order);
    if (!ladder_.saturate_at_once) {
      clock_.enter("search");
      progress("searching");
      SearchBudget budget;
      budget.conflicts = ladder_.first_conflicts.value_or(kFirstConflicts + problem.nodes());
      SearchResult found = search(problem, order, budget, limits_);
      add(found.stats);
      outcome_.method = "search";
      if (tell(problem, found)) return;
      order = std::move(found.order);
      if (limits_.exceeded_now()) return undecided();
    }
    climb_higher(problem, std::move(order));
  }

  void climb_higher(const Problem& problem, std::vector<Node> order) {
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
      return violated(problem, transactions_of(tell_cycle(problem, saturation)));
    }
    // Without enough memory for the clocks what was found so far is used all the same: it holds.
    std::vector<Problem::Edge> forced;
    for (const Saturation::Edge& edge : saturation.edges()) forced.push_back({edge.from, edge.to});
    const Problem stronger(ask(problem.level), forced);
    clock_.enter("schedule");
    Schedule schedule = run_greedily(stronger, limits_);
    if (limits_.exceeded_now()) return undecided();
    if (schedule.forced == 0 && ladder_.accept_schedule) {
      outcome_.method = "saturation, schedule";
      return holds(stronger, schedule.order);
    }
    order = ladder_.random_start ? random_order(stronger, *ladder_.random_start) : std::move(schedule.order);
    clock_.enter("search");
    progress("searching");
    SearchResult found = search(stronger, order, {}, limits_);
    add(found.stats);
    outcome_.method = "saturation, search";
    if (found.answer == SearchResult::Answer::unsatisfiable) {
      // The forced edges were taken as known; what they rest on belongs to the core.
      found.core = with_all_behind(problem, saturation, found.core);
    }
    if (!tell(problem, found)) undecided();
  }

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
    clock_.enter("serializable first");
    progress("trying a serial order");
    const Problem serial(
        ask(strong_level(level.real_time ? Level::strict_serializable : Level::serializable)));
    const Schedule schedule = run_greedily(serial, limits_);
    if (schedule.known_cycle || limits_.exceeded_now()) return false;
    std::vector<Node> order = schedule.order;
    if (schedule.forced > 0) {
      SearchBudget budget;
      budget.conflicts = kFirstConflicts + serial.nodes() / 2;
      SearchResult found = search(serial, order, budget, limits_);
      add(found.stats);
      if (found.answer == SearchResult::Answer::unsatisfiable) return violated_too(level, found.core);
      if (found.answer != SearchResult::Answer::satisfiable) return false;
      order = std::move(found.order);
    }
    outcome_.method = "serial order";
    outcome_.verdict = Verdict::holds;
    for (const Node u : order) {
      if (!serial.is_event(u) || reads_.presence(serial.txn_of(u)) == Presence::absent) continue;
      outcome_.order.push_back({serial.txn_of(u), Event::Side::begin});
      outcome_.order.push_back({serial.txn_of(u), Event::Side::commit});
    }
    return true;
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
    return transactions_of(tell_cycle(problem, saturation));
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

  static constexpr std::uint64_t kFirstConflicts = 20000;

  const History& h_;
  const Reads& reads_;
  const Options& options_;
  Limits& limits_;
  const Ladder& ladder_;
  Outcome outcome_;
  PhaseClock clock_;
  SearchStats stats_;
  std::uint64_t forced_ = 0;
};

}  // namespace

Outcome decide_strong(const History& history, const Reads& reads, Level level, const Options& options,
                      Limits& limits, const Ladder& ladder) {
  return Decision(history, reads, level, options, limits, ladder).run();
}

}  // namespace assay::check
