// The evidence of one outcome as a person reads it: first who took part and what they did, then step by step
// what follows, then the contradiction. After the manner of Elle's explanations.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <vector>

#include "report/report.hpp"
#include "report/sentence.hpp"

namespace assay::report {

using check::BadRead;
using check::Derivation;
using check::Event;
using check::Outcome;
using check::Step;

namespace {

constexpr std::size_t kMostBadReads = 10;
constexpr std::size_t kMostSteps = 40;
constexpr std::size_t kMostOperations = 12;  // of one transaction

// A, B, ..., Z, AA, AB, ...
std::string label(std::size_t n) {
  std::string out;
  for (++n; n > 0; n = (n - 1) / 26) out.insert(out.begin(), static_cast<char>('A' + (n - 1) % 26));
  return out;
}

std::string explain_bad_reads(const History& history, const std::vector<BadRead>& bad_reads) {
  std::string out =
      "No level allows " + std::string(bad_reads.size() == 1 ? "this read" : "these reads") + ":\n";
  const std::size_t shown = std::min(bad_reads.size(), kMostBadReads);
  for (std::size_t i = 0; i < shown; ++i) {
    out += fmt::format("  {}: {}\n", anomaly(bad_reads[i].kind), sentence(history, bad_reads[i]));
  }
  if (bad_reads.size() > shown)
    out += fmt::format("  … and {} more (--json lists all)\n", bad_reads.size() - shown);
  return out;
}

// The steps that the cycle rests on, in order of derivation.
std::vector<std::uint32_t> needed_steps(const Derivation& derivation) {
  std::vector<bool> needed(derivation.steps.size(), false);
  for (const std::uint32_t i : derivation.cycle) needed[i] = true;
  for (std::size_t i = derivation.steps.size(); i-- > 0;) {
    if (!needed[i]) continue;
    for (const std::uint32_t premise : derivation.steps[i].premises) needed[premise] = true;
  }
  std::vector<std::uint32_t> out;
  for (std::uint32_t i = 0; i < needed.size(); ++i) {
    if (needed[i]) out.push_back(i);
  }
  return out;
}

class CycleStory {
 public:
  CycleStory(const History& history, const Derivation& derivation)
      : history_(history), derivation_(derivation) {
    steps_ = needed_steps(derivation);
    if (steps_.size() > kMostSteps) {
      left_out_ = steps_.size();
      steps_ = derivation.cycle;
      std::sort(steps_.begin(), steps_.end());
      left_out_ -= steps_.size();
    }
    for (const std::uint32_t i : derivation.cycle) meet(derivation.steps[i].from.txn);
    for (std::size_t n = 0; n < steps_.size(); ++n) {
      const Step& step = derivation.steps[steps_[n]];
      number_[steps_[n]] = n + 1;
      meet(step.from.txn);
      meet(step.to.txn);
      if (has_witness(step)) meet(step.witness);
      if (has_key(step)) keys_.insert(step.key);
      two_sided_ = two_sided_ || step.from.side == Event::Side::begin || step.to.side == Event::Side::begin;
    }
  }

  std::string tell() const {
    std::string out = "The transactions that matter, and what they did:\n";
    for (const Txn txn : met_)
      out += fmt::format("  {} = {}: {}\n", name(txn), full_name(history_, txn), deeds(txn));
    out += "What follows:\n";
    for (const std::uint32_t i : steps_) out += told(i);
    if (left_out_ != 0) out += fmt::format("  … resting on {} earlier steps (--json lists all)\n", left_out_);
    return out + "The contradiction: " + circle() + "\n";
  }

 private:
  void meet(Txn txn) {
    if (txn == kInitialTxn || labels_.count(txn) != 0) return;
    labels_.emplace(txn, label(labels_.size()));
    met_.push_back(txn);
  }

  std::string name(Txn txn) const {
    const auto found = labels_.find(txn);
    return found == labels_.end() ? full_name(history_, txn) : found->second;
  }

  std::string name(const Event& event) const {
    if (!two_sided_) return name(event.txn);
    return name(event.txn) + (event.side == Event::Side::begin ? "'s begin" : "'s commit");
  }

  // The operations on the keys that the story is about.
  std::string deeds(Txn txn) const {
    std::string out;
    std::size_t shown = 0;
    std::size_t hidden = 0;
    for (const Op op : history_.operations_of(txn)) {
      const OpKind kind = history_.kind(op);
      const bool query = kind == OpKind::predicate_read || kind == OpKind::range_read;
      const bool matters =
          !query && keys_.count(kind == OpKind::list_read ? history_.list(op).key : history_.key(op)) != 0;
      if (!matters || shown == kMostOperations) {
        ++hidden;
        continue;
      }
      out += (shown++ == 0 ? "" : ", ") + operation(history_, op);
    }
    if (hidden != 0) out += fmt::format("{}({} more)", shown == 0 ? "" : ", ", hidden);
    return out.empty() ? "(nothing)" : out;
  }

  std::string told(std::uint32_t i) const {
    const Step& step = derivation_.steps[i];
    std::string premises;
    for (const std::uint32_t premise : step.premises) {
      const auto found = number_.find(premise);
      if (found != number_.end())
        premises += fmt::format("{}{}", premises.empty() ? " [by " : ", ", found->second);
    }
    if (!premises.empty()) premises += "]";
    return fmt::format("  {}. {} before {}: {}.{}\n", number_.at(i), name(step.from), name(step.to),
                       reason(history_, step, [&](Txn txn) { return name(txn); }), premises);
  }

  std::string circle() const {
    std::string out;
    std::string steps;
    for (const std::uint32_t i : derivation_.cycle) {
      out += name(derivation_.steps[i].from) + " → ";
      steps += fmt::format("{}{}", steps.empty() ? "" : ", ", number_.at(i));
    }
    out += name(derivation_.steps[derivation_.cycle.front()].from);
    return fmt::format("{} (by {}).", out, steps);
  }

  const History& history_;
  const Derivation& derivation_;
  std::vector<std::uint32_t> steps_;
  std::size_t left_out_ = 0;
  std::map<std::uint32_t, std::size_t> number_;  // step -> its number in the story
  std::map<Txn, std::string> labels_;
  std::vector<Txn> met_;
  std::set<Key> keys_;
  bool two_sided_ = false;
};

constexpr std::size_t kMostCases = 6;

// Cases that exhaust what can have been, each with its own contradiction.
std::string tell(const History& history, const Derivation& derivation, std::size_t& left) {
  if (!derivation.cycle.empty()) return CycleStory(history, derivation).tell();
  std::string out = "One of these must have been, and each is impossible:\n";
  for (const Derivation::Case& one : derivation.cases) {
    if (left == 0) return out + "… and more cases (--certificate writes all)\n";
    --left;
    const Step& assumed = one.assumption;
    out += assumed.read == check::kNoOp
               ? fmt::format("Case: {} before {}.\n", full_name(history, assumed.from.txn),
                             full_name(history, assumed.to.txn))
               : fmt::format("Case: {} of {} saw what {} wrote.\n", operation(history, assumed.read),
                             full_name(history, assumed.to.txn), full_name(history, assumed.from.txn));
    out += tell(history, one.derivation, left);
  }
  return out;
}

// What was seen, in the words of the story.
std::string lead(const History& history, const Story& story) {
  const evidence::AnomalyInfo& anomaly = evidence::info(story.counterexample.anomaly);
  std::string out =
      fmt::format("{}{}:\n", anomaly.title, anomaly.code.empty() ? "" : fmt::format(" ({})", anomaly.code));
  out[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(out[0])));
  for (std::size_t i = 0; i < story.names.size(); ++i) {
    const Txn txn = story.counterexample.transactions[i];
    out += fmt::format("  {} = {}{}\n", story.names[i], full_name(history, txn),
                       history.status(txn) == Status::aborted   ? " (aborted)"
                       : history.status(txn) == Status::unknown ? " (its client never learned its fate)"
                                                                : "");
  }
  for (const std::string& sentence : story.sentences) out += "  " + sentence + "\n";
  return out + fmt::format("What it means: {}\n", story.consequence);
}

}  // namespace

std::string explanation(const History& history, const Outcome& outcome, const Story* story) {
  if (outcome.verdict != check::Verdict::violated) return "";
  std::string out = story == nullptr ? "" : lead(history, *story);
  if (!outcome.bad_reads.empty()) return out + explain_bad_reads(history, outcome.bad_reads);
  const bool told = story != nullptr && !story->counterexample.derivation.empty();
  const Derivation& derivation = told ? story->counterexample.derivation : outcome.derivation;
  std::size_t cases = kMostCases;
  if (!derivation.empty()) return out + tell(history, derivation, cases);
  return out + fmt::format(
                   "No order of the transactions explains what they saw (found by {}, which gives no "
                   "derivation).\n",
                   outcome.method.empty() ? "a search" : outcome.method);
}

}  // namespace assay::report
