#include "report/page/data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "report/departures.hpp"
#include "report/live.hpp"
#include "report/page/belief.hpp"
#include "report/page/drawing.hpp"
#include "report/page/provenance.hpp"
#include "report/page/throughput.hpp"
#include "report/page/transactions.hpp"
#include "report/printable.hpp"
#include "report/report.hpp"
#include "report/selection.hpp"
#include "report/sentence.hpp"
#include "report/statistics.hpp"
#include "report/story.hpp"
#include "report/version.hpp"

namespace assay::report {

using check::Outcome;
using check::Verdict;
using evidence::Examination;
using evidence::refuted_by;
using Json = nlohmann::ordered_json;

namespace {

constexpr std::size_t kLongestText = 400;  // bytes of a note, a path, a reason
constexpr std::size_t kMostNotes = 20;

Json level_row(const Outcome& outcome, std::span<const Outcome> all) {
  const LevelInfo& level = info(outcome.level);
  double seconds = 0;
  Json phases = Json::array();
  for (const check::Phase& phase : outcome.phases) {
    seconds += phase.seconds;
    phases.push_back({{"name", phase.name}, {"seconds", phase.seconds}, {"bytes", phase.peak_bytes}});
  }
  Json counts = Json::array();
  for (const check::Count& count : outcome.counts)
    counts.push_back({{"name", count.name}, {"value", count.value}});
  Json out = {{"name", level.name},          {"verdict", name(outcome.verdict)},
              {"promise", level.promise},    {"source", level.source},
              {"method", outcome.method},    {"reason", cut(printable(outcome.reason), kLongestText)},
              {"seconds", seconds},          {"phases", std::move(phases)},
              {"counts", std::move(counts)}, {"ordered", !outcome.order.empty()}};
  const Outcome* weaker = outcome.verdict == Verdict::violated ? refuted_by(outcome, all) : nullptr;
  if (weaker != nullptr) out["since"] = info(weaker->level).name;
  return out;
}

Json statistics(const History& history) {
  const Statistics s = summarise(history);
  Json kinds = Json::array();
  for (std::size_t kind = 0; kind < kOpKinds; ++kind) {
    if (s.by_kind[kind] != 0)
      kinds.push_back({{"name", name(static_cast<OpKind>(kind))}, {"count", s.by_kind[kind]}});
  }
  Json hot = Json::array();
  for (const HotKey& key : s.hot_keys) {
    hot.push_back(
        {{"key", printable(history.name(key.key))}, {"operations", key.operations}, {"share", key.share}});
  }
  Json out = {{"committed", s.committed},
              {"aborted", s.aborted},
              {"unknown", s.unknown},
              {"longestSession", s.longest_session},
              {"mostOperations", s.most_operations},
              {"values", s.versions},
              {"repeatedValues", s.repeated_values},
              {"ambiguousReads", s.ambiguous_reads},
              {"readsOfInitial", s.reads_of_initial},
              {"kinds", std::move(kinds)},
              {"hotKeys", std::move(hot)},
              {"bytes", s.resident_bytes}};
  if (s.concurrency) {
    out["concurrency"] = {{"mean", s.concurrency->mean},
                          {"most", s.concurrency->most},
                          {"seconds", static_cast<double>(s.concurrency->span_nanoseconds) / 1e9}};
  }
  return out;
}

Json provenance(const History& history, const PageLimits& limits) {
  const auto found = provenance_of(history);
  if (!found) return nullptr;
  const auto told = [](const std::string& text) { return cut(printable(text), kLongestText); };
  Json faults = Json::array();
  for (std::size_t i = 0; i < std::min(found->faults.size(), limits.faults); ++i)
    faults.push_back({{"text", told(found->faults[i].text)},
                      {"from", found->faults[i].from},
                      {"to", found->faults[i].to}});
  return {{"store", told(found->store)},       {"isolation", told(found->isolation)},
          {"workload", told(found->workload)}, {"sessions", told(found->sessions)},
          {"seed", told(found->seed)},         {"begun", told(found->begun)},
          {"faults", std::move(faults)},       {"faultsInAll", found->faults.size()}};
}

// Where everything holds.
Json belief(const Examination& examination) {
  const bool all_hold = std::all_of(examination.outcomes.begin(), examination.outcomes.end(),
                                    [](const Outcome& one) { return one.verdict == Verdict::holds; });
  if (!all_hold || examination.outcomes.empty()) return nullptr;
  Json out = Json::array();
  for (const Belief& one : belief_of(examination))
    out.push_back({{"good", one.good}, {"sentence", one.sentence}});
  return out;
}

Json throughput(const History& history, const PageLimits& limits) {
  const auto found = throughput_of(history, limits.pieces);
  if (!found) return nullptr;
  Json slowest = Json::array();
  for (const double value : found->slowest) slowest.push_back(std::round(value * 1e7) / 1e7);
  return {{"seconds", found->piece_seconds}, {"commits", found->commits}, {"slowest", std::move(slowest)}};
}

// Of the strongest level that holds and comes with an order.
Json commit_order(const History& history, std::span<const Outcome> outcomes, const PageLimits& limits) {
  const Outcome* best = nullptr;
  for (const Outcome& outcome : outcomes) {
    if (outcome.verdict != Verdict::holds || outcome.order.empty()) continue;
    if (best == nullptr || implies(outcome.level, best->level)) best = &outcome;
  }
  if (best == nullptr || !history.has_times()) return nullptr;
  const Departures found = departures(history, best->order, limits.departures, limits.pieces);
  const auto seconds = [](std::uint64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1e9; };
  Json largest = Json::array();
  for (const Departure& one : found.largest) {
    largest.push_back({{"earlier", full_name(history, one.earlier)},
                       {"later", full_name(history, one.later)},
                       {"seconds", seconds(one.nanoseconds)}});
  }
  Json over = Json::array();
  for (const std::uint64_t value : found.over_order) over.push_back(seconds(value));
  const LevelInfo& level = info(best->level);
  return {
      {"level", level.name},
      {"sentence", departures_told(std::string(level.name), level.real_time, found.count, found.compared)},
      {"count", found.count},
      {"largest", std::move(largest)},
      {"over", std::move(over)}};
}

}  // namespace

PageLimits PageLimits::halved() const {
  const auto half = [](std::size_t n) { return std::max<std::size_t>(n / 2, 1); };
  return {half(stories),      half(scenes),     half(steps),      half(bad_reads),
          half(transactions), half(operations), half(neighbours), half(neighbour_operations),
          half(departures),   half(pieces),     half(groups),     half(faults)};
}

std::string page_data(const Examination& examination, const PageLimits& limits, const PageContext& context) {
  const History& history = *examination.history;
  Json levels = Json::array();
  for (const Outcome& outcome : examination.outcomes)
    levels.push_back(level_row(outcome, examination.outcomes));
  PageTransactions chosen(history, limits);
  Json stories = Json::array();
  const std::vector<Selected> explained = worth_explaining(examination);
  for (std::size_t i = 0; i < std::min(explained.size(), limits.stories); ++i) {
    const Outcome& outcome = *explained[i].outcome;
    stories.push_back(page_story(history, outcome, story_of(examination, outcome.level), limits, chosen));
    stories.back()["alsoViolated"] = listed(explained[i].also);
  }
  Json notes = Json::array();
  for (std::size_t i = 0; i < std::min(history.notes().size(), kMostNotes); ++i)
    notes.push_back(cut(printable(history.notes()[i]), kLongestText));
  Json strongest = Json::array();
  for (const Level level : strongest_levels(examination.outcomes)) strongest.push_back(info(level).name);
  Json running = nullptr;
  if (const auto found = running_over_time(history, limits.pieces)) {
    Json mean = Json::array();
    for (const double value : found->mean) mean.push_back(std::round(value * 1000) / 1000);
    running = {{"seconds", found->piece_nanoseconds / 1e9}, {"mean", std::move(mean)}};
  }
  const Json data = {{"assay", version()},
                     {"history",
                      {{"path", cut(printable(history.path()), kLongestText)},
                       {"format", printable(history.format())},
                       {"sessions", history.sessions()},
                       {"transactions", history.transactions()},
                       {"operations", history.operations()},
                       {"keys", history.keys()},
                       {"notes", std::move(notes)}}},
                     {"sessionOrder", examination.sessions == check::SessionOrder::keep ? "keep" : "ignore"},
                     {"readSeconds", examination.read_seconds},
                     {"checkSeconds", examination.check_seconds},
                     {"strongest", std::move(strongest)},
                     {"levels", std::move(levels)},
                     {"stories", std::move(stories)},
                     {"storiesLeftOut", explained.size() - std::min(explained.size(), limits.stories)},
                     {"transactions", chosen.transactions()},
                     {"sessions", chosen.sessions()},
                     {"statistics", statistics(history)},
                     {"running", std::move(running)},
                     {"provenance", provenance(history, limits)},
                     {"belief", belief(examination)},
                     {"throughput", throughput(history, limits)},
                     {"command", context.command},
                     {"smallHistory", context.small_history},
                     {"commitOrder", commit_order(history, examination.outcomes, limits)}};
  return data.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace assay::report
