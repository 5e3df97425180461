#include "report/page/drawing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "report/page/bad_read_counts.hpp"
#include "report/printable.hpp"
#include "report/scenes.hpp"
#include "report/sentence.hpp"

namespace assay::report {

using check::BadRead;
using check::Event;
using check::Outcome;
using check::Step;
using Json = nlohmann::ordered_json;

namespace {

constexpr std::size_t kLongestSentence = 2000;
constexpr std::size_t kMostSentences = 12;

class StoryData {
 public:
  StoryData(const History& history, const Outcome& outcome, const std::optional<Story>& story,
            const PageLimits& limits, PageTransactions& chosen)
      : history_(history),
        outcome_(outcome),
        story_(story),
        limits_(limits),
        chosen_(chosen),
        scenes_(scenes_of(history, outcome, story,
                          {.scenes = limits.scenes, .steps = limits.steps, .bad_reads = limits.bad_reads})),
        naming_(scenes_.naming(history)) {
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
    if (story_) {
      const AnomalyInfo& known = info(story_->counterexample.anomaly);
      out["anomaly"] = known.title;
      out["code"] = code_of(story_->counterexample);
      out["consequence"] = cut(story_->consequence, kLongestSentence);
    } else {
      out["anomaly"] = outcome_.bad_reads.empty() ? "" : anomaly(history_, outcome_.bad_reads.front());
    }
    out["sentences"] = sentences();
    out["cast"] = std::move(cast);
    out["castLeftOut"] = not_shown_;
    out["reads"] = std::move(reads);
    out["readsLeftOut"] = outcome_.bad_reads.size() - std::min(outcome_.bad_reads.size(), limits_.bad_reads);
    if (!outcome_.bad_reads.empty()) out["badReads"] = bad_read_counts(history_, outcome_.bad_reads, limits_);
    out["scenes"] = std::move(scenes);
    out["scenesLeftOut"] = scenes_.left_out;
    out["twoSided"] = scenes_.two_sided;
    out["method"] = outcome_.method;
    return out;
  }

 private:
  // The contradiction as the page opens with it.
  Json sentences() const {
    if (story_ && !story_->sentences.empty()) {
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
                                    naming_(s.from.txn), naming_(s.to.txn), reason(history_, s, naming_),
                                    last ? ": a contradiction." : "."),
                        kLongestSentence));
    }
    return out;
  }

  Json bad_read(const BadRead& bad) {
    Json out = {{"anomaly", anomaly(history_, bad)},
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
    for (const Step* step : one.assumptions) assumptions.push_back(assumption(history_, *step, naming_));
    Json steps = Json::array();
    for (const std::uint32_t i : one.steps) {
      Json shown = step(one.derivation->steps[i]);
      Json premises = Json::array();
      for (const std::uint32_t premise : one.derivation->steps[i].premises) {
        const auto found = number.find(premise);
        if (found != number.end()) premises.push_back(found->second);
      }
      shown["number"] = number.at(i);
      shown["premises"] = std::move(premises);
      steps.push_back(std::move(shown));
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

  Json step(const Step& s) {
    const auto id = [](Txn txn) { return txn == kInitialTxn ? Json(-1) : Json(index(txn)); };
    const auto side = [](const Event& e) { return e.side == Event::Side::begin ? "begin" : "commit"; };
    Json out = {
        {"from", id(s.from.txn)},      {"fromSide", side(s.from)},
        {"to", id(s.to.txn)},          {"toSide", side(s.to)},
        {"rule", check::name(s.rule)}, {"reason", cut(reason(history_, s, naming_), kLongestSentence)}};
    if (has_key(s)) {
      out["keyId"] = index(s.key);
      out["key"] = printable(history_.name(s.key));
      for (const Txn txn : {s.from.txn, s.to.txn, s.witness}) chosen_.matters(txn, s.key);
    }
    if (has_witness(s)) out["witness"] = id(s.witness);
    if (s.read != check::kNoOp) {
      out["readBy"] = index(history_.transaction_of(s.read));
      out["readAt"] = position(s.read);
      chosen_.matters(s.read);
    }
    return out;
  }

  const History& history_;
  const Outcome& outcome_;
  const std::optional<Story>& story_;
  const PageLimits& limits_;
  PageTransactions& chosen_;
  const Scenes scenes_;
  const Naming naming_;
  std::size_t not_shown_ = 0;
};

}  // namespace

Json page_story(const History& history, const Outcome& outcome, const std::optional<Story>& story,
                const PageLimits& limits, PageTransactions& chosen) {
  return StoryData(history, outcome, story, limits, chosen).data();
}

}  // namespace assay::report
