#include "check/in_turn.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <optional>
#include <thread>

#include "check/fates.hpp"
#include "check/implied.hpp"
#include "check/limits.hpp"
#include "check/opinion/sat.hpp"
#include "check/opinion/width.hpp"
#include "check/strong/strong.hpp"
#include "check/weak/weak.hpp"

namespace assay::check {

namespace {

// Seconds to look for an order that satisfies a stronger level than was asked for.
constexpr double kWorthATry = 1;
// Attributions of ambiguous reads that each weak level may try before it is another's turn: at first, and from
// when on the turns end.
constexpr std::uint64_t kFewAttributions = 8, kManyAttributions = 1 << 16;

// The whole time, from now on.
class Time {
 public:
  explicit Time(const Options& options) : options_(options), begin_(std::chrono::steady_clock::now()) {}

  double left() const {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin_;
    return std::max(*options_.timeout_seconds - spent.count(), 0.0);
  }
  bool is_limited() const { return options_.timeout_seconds.has_value(); }
  // The limits of one of `open` tasks.
  Limits share(double open) const {
    if (!is_limited()) return Limits(std::nullopt, options_.memory_bytes);
    return Limits(left() / std::max(open, 1.0), options_.memory_bytes);
  }

 private:
  const Options& options_;
  std::chrono::steady_clock::time_point begin_;
};

class InTurn {
 public:
  InTurn(const History& history, const Reads& reads, std::span<const Level> levels, const Options& options,
         const QueryPlan* queries)
      : h_(history),
        reads_(reads),
        levels_(levels),
        options_(options),
        queries_(queries),
        time_(options),
        weak_checker_(history, reads, options),
        outcomes_(levels.size()) {
    for (std::uint32_t t = 0; t < reads.transactions(); ++t) {
      if (reads.presence(Txn{t}) == Presence::conditional) fates_are_open_ = true;
    }
  }

  std::vector<Outcome> run() {
    std::vector<std::size_t> all(levels_.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    give_turns(all);
    settle_by_implication();
    const std::vector<std::size_t> open = open_places();
    if (time_.is_limited() && !open.empty() && open.size() < all.size() && time_.left() > 0) {
      give_turns(open);
      settle_by_implication();
    }
    return std::move(outcomes_);
  }

 private:
  using Task = std::vector<std::size_t>;  // places of levels

  void give_turns(std::span<const std::size_t> places) {
    // The strongest first: a verdict on it can settle those that it implies.
    std::vector<std::size_t> sorted(places.begin(), places.end());
    std::stable_sort(sorted.begin(), sorted.end(),
                     [&](std::size_t a, std::size_t b) { return levels_[a] > levels_[b]; });
    std::vector<Task> tasks;
    Task weak;
    for (const std::size_t i : sorted) {
      WeakChecker::decides(levels_[i]) ? weak.push_back(i) : tasks.push_back({i});
    }
    // The weak levels share what they find, so they share the time of one task.
    open_ = tasks.size() + (weak.empty() ? 0 : 1);
    if (reads_.ambiguous_sets() != 0) {
      perform(tasks);
      attribute(weak);
      return;
    }
    if (!weak.empty()) tasks.insert(tasks.begin(), weak);
    perform(tasks);
  }

  // The weak levels where reads have several candidate writers, in turns that grow: nothing that a level has
  // learned is lost in between, and none waits for another that takes long.
  void attribute(const Task& weak) {
    if (weak.empty()) return;
    most_attributions_ = kFewAttributions;
    perform({weak});
    settle_by_implication();
    while (*most_attributions_ < kManyAttributions && any_is_open(weak) && !time_is_up()) {
      *most_attributions_ *= 2;
      ask_open(weak);
    }
    most_attributions_.reset();
    ask_open(weak);
  }

  void ask_open(const Task& places) {
    for (const std::size_t place : places) {
      if (!is_open(place) || time_is_up()) continue;
      Limits limits = time_.share(1);
      outcomes_[place] = decide_weak(levels_[place], limits);
      settle_by_implication();
    }
  }
  bool any_is_open(const Task& places) const {
    return std::any_of(places.begin(), places.end(), [this](std::size_t place) { return is_open(place); });
  }
  bool time_is_up() const { return time_.is_limited() && time_.left() <= 0; }

  void perform(const std::vector<Task>& tasks) {
    const std::size_t threads =
        std::clamp<std::size_t>(options_.threads, 1, std::max<std::size_t>(tasks.size(), 1));
    std::atomic<std::size_t> next = 0;
    std::vector<std::exception_ptr> failures(tasks.size());
    const auto work = [&] {
      for (std::size_t i = next++; i < tasks.size(); i = next++) {
        try {
          const std::size_t open = open_--;
          Limits limits = time_.share(static_cast<double>(open) / static_cast<double>(threads));
          for (const std::size_t place : tasks[i]) decide(place, limits, threads);
        } catch (...) {
          failures[i] = std::current_exception();
        }
      }
    };
    {
      std::vector<std::jthread> others;
      for (std::size_t i = 1; i < threads; ++i) others.emplace_back(work);
      work();
    }
    for (const std::exception_ptr& failure : failures) {
      if (failure) std::rethrow_exception(failure);
    }
  }

  void decide(std::size_t place, Limits& limits, std::size_t threads) {
    const Level level = levels_[place];
    if (WeakChecker::decides(level)) {
      outcomes_[place] = decide_weak(level, limits);
    } else {
      outcomes_[place] = decide_one_strong(level, limits, threads == 1 ? serial_outcome(level) : nullptr);
    }
  }

  // What became of serializability, if it was asked before and a level that it implies can go on from there.
  const Outcome* serial_outcome(Level level) const {
    const Level serial = serial_level(level);
    const auto place = std::find(levels_.begin(), levels_.end(), serial);
    if (level == serial || place == levels_.end() || fates_are_open_) return nullptr;
    if (info(serial).real_time && !h_.has_times()) return nullptr;
    const auto at = static_cast<std::size_t>(place - levels_.begin());
    const Outcome& outcome = outcomes_[at];
    if (outcome.verdict == Verdict::undecided &&
        (queries_ != nullptr || !is_open(at) || outcome.reason.empty()))
      return nullptr;
    return outcome.bad_reads.empty() ? &outcome : nullptr;
  }

  Outcome decide_weak(Level level, Limits& limits) {
    if (reads_.ambiguous_sets() != 0 && !prepared_) {
      prepared_ = true;
      if (const std::optional<Outcome> stronger = find_stronger())
        weak_checker_.take_note(implied(h_, reads_, *stronger, Level::causal));
    }
    return weak_checker_.decide(level, limits, most_attributions_);
  }

  // A level that holds and implies all weak ones: of those asked, or else one that is soon decided.
  std::optional<Outcome> find_stronger() {
    if (const Outcome* const asked = strong_that_holds()) return *asked;
    for (const Level level : {Level::serializable, Level::prefix}) {
      if (std::find(levels_.begin(), levels_.end(), level) != levels_.end()) continue;
      const double most = time_.is_limited() ? std::min(time_.left() / 8, kWorthATry) : kWorthATry;
      Limits soon(most, options_.memory_bytes);
      Outcome outcome = decide_one_strong(level, soon);
      outcome.level = level;
      if (outcome.verdict == Verdict::holds) return outcome;
    }
    return std::nullopt;
  }

  const Outcome* strong_that_holds() const {
    for (const Outcome& outcome : outcomes_) {
      if (outcome.verdict == Verdict::holds && implies(outcome.level, Level::causal)) return &outcome;
    }
    return nullptr;
  }

  Outcome decide_one_strong(Level level, Limits& limits, const Outcome* serial = nullptr) {
    switch (options_.method) {
      case Method::width:
        return decide_by_width(h_, reads_, level, options_);
      case Method::sat:
        return decide_by_sat(h_, reads_, level, options_);
      case Method::automatic:
        break;
    }
    const auto decide_with = [&](const Reads& r) {
      return decide_strong(h_, r, level, options_, limits, {}, queries_, serial);
    };
    return decide_fates(h_, reads_, decide_with,
                        queries_ == nullptr ? QueryReads::none : QueryReads::returned_rows);
  }

  // Whether more time, or another level's verdict, could settle it.
  bool is_open(std::size_t place) const {
    const Level level = levels_[place];
    return outcomes_[place].verdict == Verdict::undecided && reads_.not_understood().empty() &&
           (!info(level).real_time || h_.has_times());
  }

  std::vector<std::size_t> open_places() const {
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < levels_.size(); ++i) {
      if (is_open(i)) open.push_back(i);
    }
    return open;
  }

  void settle_by_implication() {
    for (const std::size_t place : open_places()) {
      const auto other = std::find_if(outcomes_.begin(), outcomes_.end(),
                                      [&](const Outcome& o) { return settles(o, levels_[place]); });
      if (other != outcomes_.end()) outcomes_[place] = implied(h_, reads_, *other, levels_[place]);
    }
  }

  const History& h_;
  const Reads& reads_;
  std::span<const Level> levels_;
  const Options& options_;
  const QueryPlan* const queries_;
  Time time_;
  WeakChecker weak_checker_;
  bool prepared_ = false, fates_are_open_ = false;
  std::optional<std::uint64_t> most_attributions_;  // of ambiguous reads, at a weak level
  std::atomic<std::size_t> open_ = 0;
  std::vector<Outcome> outcomes_;
};

}  // namespace

std::vector<Outcome> decide_in_turn(const History& history, const Reads& reads, std::span<const Level> levels,
                                    const Options& options, const QueryPlan* queries) {
  return InTurn(history, reads, levels, options, queries).run();
}

}  // namespace assay::check
