#include "split/split.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <numeric>
#include <thread>
#include <utility>

#include "check/check.hpp"
#include "check/limits.hpp"
#include "split/division.hpp"
#include "split/merge.hpp"
#include "split/part.hpp"
#include "split/sets.hpp"

namespace assay::split {

namespace {

using check::Outcome;
using check::Verdict;
using Clock = std::chrono::steady_clock;

// Fewer are decided before they are divided.
constexpr std::uint32_t kWorthDividing = 20'000;
// Unasked, a history is divided if no part has more of it than this: else dividing costs more than it gains.
constexpr double kLargestShare = 0.8;
constexpr std::uint64_t kPartsPerThread = 8;
// More tenants than this are put together, so that what each part costs by itself does not count.
constexpr std::uint32_t kMostParts = 512;
// How often parts that wait for each other are joined and decided again, before the whole is.
constexpr int kMostJoins = 2;

class Splitter {
 public:
  Splitter(const History& history, const check::Options& options) : h_(history), options_(options) {}

  // One outcome per level; one that has no method is still to be found on the whole.
  std::vector<Outcome> decide(Division division, std::vector<Level> levels) {
    std::vector<Outcome> outcomes;
    for (const Level level : levels) outcomes.emplace_back().level = level;
    std::uint32_t joined_parts = 0;
    for (int round = 0; !levels.empty() && division.parts > 1; ++round) {
      const auto before = Clock::now();
      decide_parts(division, levels);
      const Clock::time_point decided = Clock::now();
      Sets groups(division.parts);
      std::vector<Level> open;
      for (std::size_t place = 0; place < levels.size(); ++place) {
        Outcome outcome = put_together(division, place, levels[place], groups);
        if (is_settled(outcome)) {
          outcome.phases = {{"parts", seconds(before, decided), check::peak_memory()},
                            {"merging", seconds(decided, Clock::now()), check::peak_memory()}};
          outcome.counts.push_back({"parts", division.parts});
          outcome.counts.push_back({"parts joined", joined_parts});
          note(outcomes, std::move(outcome));
        } else {
          open.push_back(levels[place]);
        }
      }
      levels = std::move(open);
      if (round == kMostJoins) break;
      Division next = joined(division, groups.numbered());
      if (next.parts == division.parts) break;  // nothing to join: what is open is for the whole
      joined_parts += division.parts - next.parts;
      division = std::move(next);
    }
    return outcomes;
  }

  static bool is_settled(const Outcome& outcome) {
    return !outcome.method.empty() || !outcome.reason.empty();
  }

 private:
  static void note(std::vector<Outcome>& outcomes, Outcome&& outcome) {
    const auto place = std::find_if(outcomes.begin(), outcomes.end(),
                                    [&](const Outcome& o) { return o.level == outcome.level; });
    *place = std::move(outcome);
  }

  static double seconds(Clock::time_point from, Clock::time_point to) {
    return std::chrono::duration<double>(to - from).count();
  }

  check::Options options_of_a_part() const {
    check::Options left = options_;
    left.threads = 1;
    if (left.timeout_seconds) {
      left.timeout_seconds = std::max(*left.timeout_seconds - seconds(began_, Clock::now()), 0.0);
    }
    return left;
  }

  void decide_parts(const Division& division, std::span<const Level> levels) {
    const std::vector<std::uint32_t> sizes = division.sizes();
    std::vector<std::vector<Txn>> members(division.parts);
    for (std::uint32_t part = 0; part < division.parts; ++part) members[part].reserve(sizes[part]);
    for (const Txn t : h_.all_transactions()) members[division.part_of[index(t)]].push_back(t);
    std::vector<std::uint32_t> largest_first(division.parts);
    std::iota(largest_first.begin(), largest_first.end(), 0U);
    std::stable_sort(largest_first.begin(), largest_first.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return sizes[a] > sizes[b]; });
    found_.assign(division.parts, {});
    std::vector<std::exception_ptr> failures(division.parts);
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
      for (std::size_t i = next++; i < largest_first.size(); i = next++) {
        const std::uint32_t part = largest_first[i];
        try {
          found_[part] = decide_part(h_, members[part], levels, options_of_a_part());
        } catch (...) {
          failures[part] = std::current_exception();
        }
        members[part] = {};
      }
    };
    {
      std::vector<std::jthread> others;
      const unsigned threads = std::min(std::max(options_.threads, 1U), division.parts);
      for (unsigned i = 1; i < threads; ++i) others.emplace_back(work);
      work();
    }
    for (const std::exception_ptr& failure : failures) {
      if (failure) std::rethrow_exception(failure);
    }
  }

  // Not settled: then parts that must be joined first are joined in `groups`, if it is known which.
  Outcome put_together(const Division& division, std::size_t place, Level level, Sets& groups) {
    Outcome all;
    all.level = level;
    if (Outcome* const violated = find(place, Verdict::violated)) {
      all = std::move(*violated);
      all.bad_reads = bad_reads(place, std::move(all.bad_reads));
      if (all.bad_reads.empty()) return all;
      all.method = "reads";
      all.derivation = {};
      all.core.clear();
      return all;
    }
    if (Outcome* const undecided = find(place, Verdict::undecided)) {
      all = std::move(*undecided);
      return all;
    }
    std::vector<std::vector<check::Event>> orders;
    for (std::vector<Outcome>& part : found_) {
      // Which of several writers a read saw is told by the number of the read in the whole.
      if (!part[place].choices.empty()) return all;
      orders.push_back(std::move(part[place].order));
    }
    Merged merged = merge(h_, division, orders, level, options_);
    if (merged.circles.empty() || level == Level::repeatable_read) {  // which asks for no order
      all.verdict = Verdict::holds;
      all.method = "parts";
      all.order = std::move(merged.order);
      return all;
    }
    for (const std::vector<std::uint32_t>& circle : merged.circles) {
      for (const std::uint32_t part : circle) groups.join(circle.front(), part);
    }
    return all;
  }

  Outcome* find(std::size_t place, Verdict verdict) {
    for (std::vector<Outcome>& part : found_) {
      if (part[place].verdict == verdict) return &part[place];
    }
    return nullptr;
  }

  // All of them, as a check of the whole tells them; `first` are those of the first part that has any.
  std::vector<check::BadRead> bad_reads(std::size_t place, std::vector<check::BadRead> first) {
    for (std::vector<Outcome>& part : found_) {
      std::vector<check::BadRead>& more = part[place].bad_reads;
      first.insert(first.end(), more.begin(), more.end());
    }
    std::stable_sort(first.begin(), first.end(),
                     [](const check::BadRead& a, const check::BadRead& b) { return a.read < b.read; });
    return first;
  }

  const History& h_;
  const check::Options& options_;
  const Clock::time_point began_ = Clock::now();
  std::vector<std::vector<Outcome>> found_;  // per part, one per level
};

// A part in which nobody has a time cannot be asked for real time, though the whole can.
bool all_have_times(const History& history) {
  for (const Txn t : history.all_transactions()) {
    if (!history.start(t) && !history.end(t)) return false;
  }
  return true;
}

bool may_be_divided(const History& history, const check::Options& options) {
  return options.known.empty() && options.method == check::Method::automatic && can_be_divided(history);
}

struct Group {
  Division division;
  std::vector<Level> levels;
};

// The divisions to decide levels by; what is in none of them is for the whole.
std::vector<Group> groups(const History& history, std::vector<Level> levels, const check::Options& options,
                          const std::optional<std::string>& tenants) {
  if (!all_have_times(history)) {
    std::erase_if(levels, [](Level level) { return info(level).real_time; });
  }
  const std::uint64_t threads = std::max(options.threads, 1U);
  const auto pattern = tenants ? std::optional<TenantPattern>(*tenants) : std::nullopt;
  const Division fine = divide(history, pattern);
  if (fine.parts < 2 || levels.empty()) return {};
  Division forest = made_a_forest(history, fine, options.sessions);
  if (!tenants) {
    forest = with_larger_parts(history, forest, options.sessions,
                               history.transactions() / (kPartsPerThread * threads));
    const std::vector<std::uint32_t> sizes = forest.sizes();
    const double largest = *std::max_element(sizes.begin(), sizes.end());
    if (largest > kLargestShare * history.transactions()) return {};
    return {{std::move(forest), std::move(levels)}};
  }
  const bool is_forest = forest.parts == fine.parts;
  if (forest.parts > kMostParts)
    forest = with_larger_parts(history, forest, options.sessions, history.transactions() / kMostParts);
  if (is_forest) return {{std::move(forest), std::move(levels)}};
  // Causality can leave a tenant by one session and come back by another, which no order of commits shows.
  std::vector<Level> causal, others;
  for (const Level level : levels) (level == Level::causal ? causal : others).push_back(level);
  std::vector<Group> result;
  if (fine.parts <= kMostParts) {
    result.push_back({fine, std::move(others)});
  } else {
    std::vector<std::uint32_t> group_of(fine.parts);
    for (std::uint32_t part = 0; part < fine.parts; ++part) group_of[part] = part % kMostParts;
    result.push_back({joined(fine, group_of), std::move(others)});
  }
  result.push_back({std::move(forest), std::move(causal)});
  return result;
}

}  // namespace

std::vector<Outcome> decide(const History& history, std::span<const Level> levels,
                            const check::Options& options, const std::optional<std::string>& tenants) {
  const bool wanted = tenants || (options.threads > 1 && history.transactions() >= kWorthDividing);
  if (!wanted || !may_be_divided(history, options)) return check::check(history, levels, options);
  const auto began = Clock::now();
  if (options.progress) options.progress("dividing");
  Splitter splitter(history, options);
  std::vector<Outcome> found;
  for (Group& group : groups(history, {levels.begin(), levels.end()}, options, tenants)) {
    for (Outcome& outcome : splitter.decide(std::move(group.division), std::move(group.levels))) {
      if (Splitter::is_settled(outcome)) found.push_back(std::move(outcome));
    }
  }
  const auto of = [&](Level level) {
    return std::find_if(found.begin(), found.end(), [&](const Outcome& o) { return o.level == level; });
  };
  std::vector<Level> open;
  for (const Level level : levels) {
    if (of(level) == found.end()) open.push_back(level);
  }
  if (!open.empty()) {
    check::Options left = options;
    const std::chrono::duration<double> spent = Clock::now() - began;
    if (left.timeout_seconds) left.timeout_seconds = std::max(*left.timeout_seconds - spent.count(), 0.0);
    for (Outcome& outcome : check::check(history, open, left)) found.push_back(std::move(outcome));
  }
  std::vector<Outcome> outcomes;
  for (const Level level : levels) outcomes.push_back(*of(level));
  return outcomes;
}

}  // namespace assay::split
