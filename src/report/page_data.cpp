#include "report/page_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>
#include <vector>

#include "report/departures.hpp"
#include "report/printable.hpp"
#include "report/running.hpp"
#include "report/scenes.hpp"
#include "report/selection.hpp"
#include "report/sentence.hpp"

namespace assay::report {

using check::BadRead;
using check::Event;
using check::Outcome;
using check::Step;
using check::Verdict;
using Json = nlohmann::ordered_json;

namespace {

constexpr std::size_t kLongestText = 400;  // bytes of a note, a path, a reason
constexpr std::size_t kLongestSentence = 2000;
constexpr std::size_t kMostSentences = 12;
constexpr std::size_t kMostNotes = 20;
constexpr std::size_t kMostElements = 12;

std::string cut(std::string text, std::size_t longest = kLongestText) {
  if (text.size() <= longest) return text;
  while (longest > 0 && (static_cast<unsigned char>(text[longest]) & 0xC0U) == 0x80U) --longest;
  return text.substr(0, longest) + "…";
}

std::string value_text(const History& history, Version version) {
  return history.is_initial(version) ? "" : printable(history.value(version));
}

std::string elements(const History& history, std::span<const Version> versions, bool with_keys) {
  std::string out = "[";
  for (std::size_t i = 0; i < std::min(versions.size(), kMostElements); ++i) {
    if (i != 0) out += ", ";
    if (with_keys) out += printable(history.name(history.key_of(versions[i]))) + "=";
    out += history.is_initial(versions[i]) ? "initial" : printable(history.value(versions[i]));
  }
  if (versions.size() > kMostElements) out += fmt::format(", … {} in all", versions.size());
  return cut(out + "]");
}

// Chooses transactions and operations while stories are told, and hands out what was chosen at the end.
class Chosen {
 public:
  Chosen(const History& history, const PageLimits& limits) : history_(history), limits_(limits) {}

  // Whether there was room for it. Its operations on `key`, if any, are shown before others.
  bool involve(Txn txn) {
    if (involved_.count(txn) != 0) return true;
    if (involved_.size() == limits_.transactions) return false;
    involved_.emplace(txn, std::set<Key>());
    return true;
  }
  void matters(Txn txn, Key key) {
    const auto found = involved_.find(txn);
    if (found != involved_.end()) found->second.insert(key);
  }
  void matters(Op op) { operations_.insert(op); }

  Json transactions() const {
    std::set<Txn> all;
    for (const auto& [txn, keys] : involved_) {
      const auto session = history_.transactions_of(history_.session_of(txn));
      const std::uint32_t at = history_.position_in_session(txn);
      const auto reach = static_cast<std::uint32_t>(limits_.neighbours);
      const std::uint32_t last = std::min(at + reach, session.size() - 1);
      for (std::uint32_t i = at - std::min(at, reach); i <= last; ++i) all.insert(session[i]);
    }
    Json out = Json::array();
    for (const Txn txn : all) out.push_back(transaction(txn));
    return out;
  }

  Json sessions() const {
    std::set<Session> all;
    for (const auto& [txn, keys] : involved_) all.insert(history_.session_of(txn));
    Json out = Json::array();
    for (const Session s : all) {
      out.push_back({{"id", index(s)},
                     {"name", printable(history_.name(s))},
                     {"transactions", history_.transactions_of(s).size()}});
    }
    return out;
  }

 private:
  Json transaction(Txn txn) const {
    const auto found = involved_.find(txn);
    const bool involved = found != involved_.end();
    Json out = {{"id", index(txn)},
                {"name", printable(history_.name(txn))},
                {"session", index(history_.session_of(txn))},
                {"position", history_.position_in_session(txn)},
                {"status", status(txn)},
                {"involved", involved}};
    if (const auto time = since_first(history_.start(txn))) out["start"] = *time;
    if (const auto time = since_first(history_.end(txn))) out["end"] = *time;
    const auto operations = history_.operations_of(txn);
    const std::vector<Op> shown = involved ? choose(operations, found->second, limits_.operations)
                                           : choose(operations, {}, limits_.neighbour_operations);
    Json list = Json::array();
    for (const Op op : shown) list.push_back(operation_of(op, index(op) - index(operations[0])));
    out["operations"] = std::move(list);
    out["count"] = operations.size();
    return out;
  }

  // Up to `most`, in program order; those that matter are preferred.
  std::vector<Op> choose(IdRange<Op> operations, const std::set<Key>& keys, std::size_t most) const {
    std::vector<Op> chosen;
    for (const bool wanted : {true, false}) {
      for (const Op op : operations) {
        if (chosen.size() == most) break;
        const auto key = key_of_operation(op);
        const bool counts = operations_.count(op) != 0 || (key && keys.count(*key) != 0);
        if (counts == wanted) chosen.push_back(op);
      }
    }
    std::sort(chosen.begin(), chosen.end());
    return chosen;
  }

  std::optional<Key> key_of_operation(Op op) const {
    switch (history_.kind(op)) {
      case OpKind::list_read:
        return history_.list(op).key;
      case OpKind::predicate_read:
      case OpKind::range_read:
        return std::nullopt;
      default:
        return history_.key(op);
    }
  }

  Json operation_of(Op op, std::uint32_t position) const {
    const OpKind kind = history_.kind(op);
    Json out = {{"at", position}, {"kind", name(kind)}};
    if (const auto key = key_of_operation(op)) {
      out["keyId"] = index(*key);
      out["key"] = printable(history_.name(*key));
      if (kind == OpKind::list_read) {
        out["value"] = elements(history_, history_.list(op).elements, false);
      } else if (history_.is_initial(history_.version(op))) {
        out["initial"] = true;
      } else {
        out["value"] = value_text(history_, history_.version(op));
      }
      return out;
    }
    const Query query = history_.query(op);
    const auto bound = [](const std::optional<Atom>& atom) { return atom ? printable(*atom) : ""; };
    out["key"] = kind == OpKind::predicate_read
                     ? fmt::format("where {}", bound(query.predicate))
                     : fmt::format("{} to {}", bound(query.low), bound(query.high));
    out["value"] = elements(history_, query.results, true);
    return out;
  }

  std::string_view status(Txn txn) const {
    switch (history_.status(txn)) {
      case Status::committed:
        return "committed";
      case Status::aborted:
        return "aborted";
      case Status::unknown:
        return "unknown";
    }
    return "";
  }

  // Seconds since the earliest time among the transactions that are involved: what a person can compare.
  std::optional<double> since_first(std::optional<std::int64_t> time) const {
    if (!time) return std::nullopt;
    if (!first_) {
      first_ = *time;
      for (const auto& [txn, keys] : involved_) {
        if (const auto start = history_.start(txn)) first_ = std::min(*first_, *start);
      }
    }
    const auto t = static_cast<std::uint64_t>(*time);
    const auto f = static_cast<std::uint64_t>(*first_);
    return (*time >= *first_ ? static_cast<double>(t - f) : -static_cast<double>(f - t)) / 1e9;
  }

  const History& history_;
  const PageLimits& limits_;
  std::map<Txn, std::set<Key>> involved_;
  std::set<Op> operations_;
  mutable std::optional<std::int64_t> first_;
};

class StoryData {
 public:
  StoryData(const History& history, const Outcome& outcome, const Story* story, const PageLimits& limits,
            Chosen& chosen)
      : history_(history),
        outcome_(outcome),
        story_(story),
        limits_(limits),
        chosen_(chosen),
        scenes_(scenes_of(history, outcome, story,
                          {.scenes = limits.scenes, .steps = limits.steps, .bad_reads = limits.bad_reads})) {
    for (const Txn txn : scenes_.cast) {
      if (!chosen_.involve(txn)) ++not_shown_;
    }
  }

  Json data() {
    Json cast = Json::array();
    for (std::size_t i = 0; i < scenes_.cast.size() - not_shown_; ++i) {
      const Txn txn = scenes_.cast[i];
      cast.push_back({{"transaction", index(txn)}, {"label", scenes_.names.at(txn)}});
    }
    Json out = {{"level", info(outcome_.level).name}, {"promise", info(outcome_.level).promise}};
    Json reads = Json::array();
    for (std::size_t i = 0; i < std::min(outcome_.bad_reads.size(), limits_.bad_reads); ++i)
      reads.push_back(bad_read(outcome_.bad_reads[i]));
    Json scenes = Json::array();
    for (const Scene& one : scenes_.shown) scenes.push_back(scene(one));
    if (story_ != nullptr) {
      const evidence::AnomalyInfo& known = evidence::info(story_->counterexample.anomaly);
      out["anomaly"] = known.title;
      out["code"] = known.code;
      out["consequence"] = cut(story_->consequence, kLongestSentence);
    } else {
      out["anomaly"] = outcome_.bad_reads.empty() ? "" : anomaly(outcome_.bad_reads.front().kind);
    }
    out["sentences"] = sentences();
    out["cast"] = std::move(cast);
    out["castLeftOut"] = not_shown_;
    out["reads"] = std::move(reads);
    out["readsLeftOut"] = outcome_.bad_reads.size() - std::min(outcome_.bad_reads.size(), limits_.bad_reads);
    out["scenes"] = std::move(scenes);
    out["scenesLeftOut"] = scenes_.left_out;
    out["twoSided"] = scenes_.tells_begin_from_commit;
    out["method"] = outcome_.method;
    return out;
  }

 private:
  std::string label(Txn txn) const {
    const auto found = scenes_.names.find(txn);
    return found == scenes_.names.end() ? full_name(history_, txn) : found->second;
  }

  // The contradiction as the page opens with it.
  Json sentences() const {
    if (story_ != nullptr && !story_->sentences.empty()) {
      Json out = Json::array();
      for (std::size_t i = 0; i < std::min(story_->sentences.size(), kMostSentences); ++i)
        out.push_back(cut(story_->sentences[i], kLongestSentence));
      return out;
    }
    if (!outcome_.bad_reads.empty())
      return {cut(sentence(history_, outcome_.bad_reads.front()), kLongestSentence)};
    const std::string_view nothing = "No order of the transactions explains what they saw";
    if (scenes_.shown.empty()) {
      return {
          fmt::format("{}. The transactions below are enough to show it, whatever the others did.", nothing)};
    }
    if (const std::size_t cases = scenes_.shown.size() + scenes_.left_out; cases > 1) {
      return {fmt::format("{}: each of the {} ways in which it could have been ends in a contradiction.",
                          nothing, cases)};
    }
    // Steps within one transaction go without saying.
    std::vector<const Step*> circle;
    const check::Derivation& derivation = *scenes_.shown.front().derivation;
    for (const std::uint32_t i : derivation.cycle) {
      if (derivation.steps[i].rule != check::Rule::program) circle.push_back(&derivation.steps[i]);
    }
    constexpr std::size_t kMostTold = 4;
    if (circle.size() > kMostTold) {
      return {fmt::format("{}: {} of them would each have to come before the next, in a circle.", nothing,
                          circle.size())};
    }
    Json out = Json::array();
    for (std::size_t i = 0; i < circle.size(); ++i) {
      const Step& s = *circle[i];
      const bool last = i + 1 == circle.size();
      out.push_back(cut(fmt::format("{}{} must come before {}, because {}{}", last && i != 0 ? "But " : "",
                                    label(s.from.txn), label(s.to.txn), reason(history_, s, naming()),
                                    last ? ": a contradiction." : "."),
                        kLongestSentence));
    }
    return out;
  }

  Naming naming() const {
    return [this](Txn txn) { return label(txn); };
  }

  Json bad_read(const BadRead& bad) {
    Json out = {{"anomaly", anomaly(bad.kind)},
                {"sentence", cut(sentence(history_, bad), kLongestSentence)},
                {"transaction", index(bad.txn)},
                {"at", position(bad.read)}};
    chosen_.matters(bad.read);
    if (const auto key = key_of(history_, bad)) {
      out["keyId"] = index(*key);
      out["key"] = printable(history_.name(*key));
      chosen_.matters(bad.txn, *key);
    }
    if (bad.write != bad.read) {
      chosen_.matters(bad.write);
      const Txn writer = history_.transaction_of(bad.write);
      out["writer"] = index(writer);
      out["writeAt"] = position(bad.write);
    }
    return out;
  }

  std::uint32_t position(Op op) const {
    return index(op) - index(history_.operations_of(history_.transaction_of(op))[0]);
  }

  Json scene(const Scene& one) {
    std::map<std::uint32_t, std::size_t> number;
    for (std::size_t n = 0; n < one.steps.size(); ++n) number[one.steps[n]] = n + 1;
    Json assumptions = Json::array();
    for (const Step* step : one.assumptions) assumptions.push_back(assumption(*step));
    Json steps = Json::array();
    for (const std::uint32_t i : one.steps) {
      Json told = step(one.derivation->steps[i]);
      Json premises = Json::array();
      for (const std::uint32_t premise : one.derivation->steps[i].premises) {
        const auto found = number.find(premise);
        if (found != number.end()) premises.push_back(found->second);
      }
      told["number"] = number.at(i);
      told["premises"] = std::move(premises);
      steps.push_back(std::move(told));
    }
    Json cycle = Json::array();
    for (const std::uint32_t i : one.derivation->cycle) {
      const auto found = number.find(i);
      if (found != number.end()) cycle.push_back(found->second);
    }
    return {{"assumptions", std::move(assumptions)},
            {"steps", std::move(steps)},
            {"cycle", std::move(cycle)},
            {"leftOut", one.left_out}};
  }

  std::string assumption(const Step& step) const {
    if (step.witness != kInitialTxn) {
      return fmt::format("{} read key {} from {}", label(step.to.txn), printable(history_.name(step.key)),
                         label(step.from.txn));
    }
    return fmt::format("{} wrote key {} before {} did", label(step.from.txn),
                       printable(history_.name(step.key)), label(step.to.txn));
  }

  Json step(const Step& s) {
    const auto id = [](Txn txn) { return txn == kInitialTxn ? Json(-1) : Json(index(txn)); };
    const auto side = [](const Event& e) { return e.side == Event::Side::begin ? "begin" : "commit"; };
    Json out = {
        {"from", id(s.from.txn)},      {"fromSide", side(s.from)},
        {"to", id(s.to.txn)},          {"toSide", side(s.to)},
        {"rule", check::name(s.rule)}, {"reason", cut(reason(history_, s, naming()), kLongestSentence)}};
    if (has_key(s)) {
      out["keyId"] = index(s.key);
      out["key"] = printable(history_.name(s.key));
      for (const Txn txn : {s.from.txn, s.to.txn, s.witness}) chosen_.matters(txn, s.key);
    }
    if (has_witness(s)) out["witness"] = id(s.witness);
    return out;
  }

  const History& history_;
  const Outcome& outcome_;
  const Story* story_;
  const PageLimits& limits_;
  Chosen& chosen_;
  Scenes scenes_;
  std::size_t not_shown_ = 0;
};

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
  Json out = {{"name", level.name},         {"verdict", name(outcome.verdict)},
              {"promise", level.promise},   {"source", level.source},
              {"method", outcome.method},   {"reason", cut(printable(outcome.reason))},
              {"seconds", seconds},         {"phases", std::move(phases)},
              {"counts", std::move(counts)}};
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
  return {{"level", info(best->level).name},
          {"compared", found.compared},
          {"count", found.count},
          {"largest", std::move(largest)},
          {"over", std::move(over)}};
}

}  // namespace

PageLimits PageLimits::halved() const {
  const auto half = [](std::size_t n) { return std::max<std::size_t>(n / 2, 1); };
  return {half(stories),      half(scenes),     half(steps),      half(bad_reads),
          half(transactions), half(operations), half(neighbours), half(neighbour_operations),
          half(departures),   half(pieces)};
}

std::string page_data(const Checked& checked, const PageLimits& limits) {
  const History& history = checked.history;
  Json levels = Json::array();
  for (const Outcome& outcome : checked.outcomes) levels.push_back(level_row(outcome, checked.outcomes));
  Chosen chosen(history, limits);
  Json stories = Json::array();
  const std::vector<const Outcome*> explained = worth_explaining(checked.outcomes);
  for (std::size_t i = 0; i < std::min(explained.size(), limits.stories); ++i)
    stories.push_back(
        StoryData(history, *explained[i], story_of(checked.stories, explained[i]->level), limits, chosen)
            .data());
  Json notes = Json::array();
  for (std::size_t i = 0; i < std::min(history.notes().size(), kMostNotes); ++i)
    notes.push_back(cut(printable(history.notes()[i])));
  const auto strongest = check::strongest(checked.outcomes);
  Json running = nullptr;
  if (const auto found = running_over_time(history, limits.pieces)) {
    Json mean = Json::array();
    for (const double value : found->mean) mean.push_back(std::round(value * 1000) / 1000);
    running = {{"seconds", found->piece_nanoseconds / 1e9}, {"mean", std::move(mean)}};
  }
  const Json data = {{"assay", ASSAY_VERSION},
                     {"history",
                      {{"path", cut(printable(history.path()))},
                       {"format", printable(history.format())},
                       {"sessions", history.sessions()},
                       {"transactions", history.transactions()},
                       {"operations", history.operations()},
                       {"keys", history.keys()},
                       {"notes", std::move(notes)}}},
                     {"sessionOrder", checked.sessions == check::SessionOrder::keep ? "keep" : "ignore"},
                     {"readSeconds", checked.read_seconds},
                     {"checkSeconds", checked.check_seconds},
                     {"strongest", strongest ? Json(info(*strongest).name) : Json(nullptr)},
                     {"levels", std::move(levels)},
                     {"stories", std::move(stories)},
                     {"storiesLeftOut", explained.size() - std::min(explained.size(), limits.stories)},
                     {"transactions", chosen.transactions()},
                     {"sessions", chosen.sessions()},
                     {"statistics", statistics(history)},
                     {"running", std::move(running)},
                     {"commitOrder", commit_order(history, checked.outcomes, limits)}};
  return data.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace assay::report
