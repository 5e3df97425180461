#include "report/page/belief.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/page/contention.hpp"
#include "report/words/counted.hpp"

namespace assay::report {

using evidence::Examination;

namespace {

// Below these a holding run says little.
constexpr std::uint64_t kFewCommits = 1000;
constexpr std::uint64_t kOneInSoManyMet = 100;

void tell_commits(const History& history, std::vector<Belief>& good, std::vector<Belief>& little) {
  const std::uint64_t committed = evidence::committed(history);
  if (committed >= kFewCommits) {
    good.push_back({true, fmt::format("{} committed in {}.", counted(committed, "transaction"),
                                      counted(history.sessions(), "session"))});
  } else if (committed == 0) {
    little.push_back({false, "No transaction is known to have committed: every level holds of nothing."});
  } else {
    little.push_back({false, fmt::format("Only {} committed: that is little evidence.",
                                         counted(committed, "transaction"))});
  }
}

void tell_contention(const History& history, std::vector<Belief>& good, std::vector<Belief>& little) {
  const auto found = contention_of(history);
  if (!found) {
    little.push_back(
        {false, "Without clock times it is not known how often transactions ran at the same time."});
    return;
  }
  const std::string told = fmt::format("{} of {} began while a conflicting one was running",
                                       grouped(found->met), grouped(found->transactions));
  if (found->met > 0 && found->met * kOneInSoManyMet >= found->transactions) {
    good.push_back(
        {true, fmt::format("The level was tried: {} (another session's, on a key of theirs, one of "
                           "the two writing it).",
                           told)});
  } else {
    little.push_back({false, fmt::format("The level was hardly tried: {}.", told)});
  }
}

}  // namespace

std::vector<Belief> belief_of(const Examination& examination) {
  const bool ordered = std::all_of(examination.outcomes.begin(), examination.outcomes.end(),
                                   [](const check::Outcome& outcome) { return !outcome.order.empty(); });
  std::vector<Belief> good, little;
  good.push_back(
      {true,
       ordered
           ? "One order of the transactions explains all that the clients saw; the check found it."
           : "Nothing that the clients saw contradicts what the level promises; the check looked at every "
             "read."});
  tell_commits(*examination.history, good, little);
  tell_contention(*examination.history, good, little);
  good.insert(good.end(), little.begin(), little.end());
  return good;
}

std::string departures_told(const std::string& level, bool real_time, std::uint64_t count,
                            std::uint64_t compared) {
  const std::string found = fmt::format("The check found an order of commits for {}.", level);
  if (count == 0) {
    return fmt::format(
        "{} It never puts a transaction before one that had already ended when it started: it "
        "agrees with the clock for all {} transactions that have times.",
        found, grouped(compared));
  }
  return fmt::format(
      "{} In it {} of {} ({}) come after one that, by the clock, started only after they had ended. {}",
      found, grouped(count), counted(compared, "transaction"), percent(count, compared),
      real_time ? "The clocks' drift allows that."
                : "The level allows that: it promises nothing about real time. Another order may "
                  "depart less.");
}

}  // namespace assay::report
