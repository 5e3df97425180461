#include "report/summary.hpp"

#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <vector>

#include "evidence/bad_read.hpp"
#include "report/printable.hpp"
#include "report/words/query_words.hpp"
#include "report/words/read_words.hpp"
#include "report/words/value_words.hpp"

namespace assay::report {

using evidence::Counterexample;
using evidence::MissedWrite;
using evidence::Roles;
using evidence::SeenRead;

namespace {

class Summary {
 public:
  Summary(const History& h, const Counterexample& found, const Roles& roles, const Naming& name)
      : h_(h), found_(found), roles_(roles), name_(name) {}

  std::string sentence() const {
    switch (found_.anomaly) {
      case Anomaly::dirty_write:
        if (!roles_.reads.empty()) return dirty_write();
        break;
      case Anomaly::circular_information_flow:
        if (!roles_.reads.empty()) {
          return fmt::format("{}, and {}: each saw what the other wrote.", words(0).from(roles_.writers[1]),
                             words(1).from(roles_.writers[0]));
        }
        break;
      case Anomaly::lost_update:
        if (!roles_.reads.empty()) return lost_update();
        break;
      case Anomaly::non_repeatable_read:
        if (!roles_.reads.empty()) {
          return fmt::format("{} read key {} twice and saw two versions: first {}, then {}.",
                             name_(roles_.reads[0].reader), printable(h_.name(roles_.reads[0].key)),
                             content(0), content(1));
        }
        break;
      case Anomaly::fractured_read:
      case Anomaly::observed_transaction_vanishes:
        if (!roles_.reads.empty()) {
          return fmt::format("{}, but {}: it saw a part of what {} did.", words(0).from(roles_.writers[0]),
                             missed(0), name_(roles_.writers[0]));
        }
        break;
      default:
        break;
    }
    return of_circle();
  }

 private:
  ReadWords words(std::size_t i) const { return {h_, roles_.reads[i].op, roles_.reads[i].key, name_}; }
  std::string missed(std::size_t i) const {
    const MissedWrite& m = roles_.missed[i];
    return ReadWords(h_, m.read, m.key, name_).missing(m.writer);
  }
  // "4", "the initial value", "[1,2]".
  std::string content(std::size_t i) const {
    const SeenRead& r = roles_.reads[i];
    return h_.kind(r.op) == OpKind::list_read ? elements(h_, h_.list(r.op).elements, false)
                                              : value_of(h_, r.version);
  }

  std::string dirty_write() const {
    return fmt::format("{}, but {}: their writes were mixed.",
                       words(0).from_and_without(roles_.writers[0], roles_.writers[1]),
                       words(1).from_and_without(roles_.writers[1], roles_.writers[0]));
  }

  std::string lost_update() const {
    const Txn a = roles_.reads[0].reader;
    const Txn b = roles_.reads[1].reader;
    const std::string key = printable(h_.name(roles_.reads[0].key));
    const bool list = words(0).is_list_of(b);
    if (content(0) != content(1)) {
      return fmt::format("{}, and {}: both changed that key, and neither saw what the other did.",
                         words(0).missing(b), words(1).missing(a));
    }
    return fmt::format(
        "{} and {} both read {} of key {} and both {}.", name_(a), name_(b), content(0), key,
        list ? "appended to it: neither saw what the other did" : "overwrote it: one update is lost");
  }

  // What was missed along the circle: once by who came later, or by each of several what another did.
  std::string of_circle() const {
    constexpr std::string_view kNothing = "No order of the transactions explains what they saw.";
    if (!found_.derivation.cases.empty()) {
      return "No order explains what they saw: each way in which it can have been ends in a contradiction.";
    }
    const std::size_t n = roles_.missed.size();
    if (n == 0) return reasons().value_or(std::string(kNothing));
    if (n == 1) {
      const MissedWrite& m = roles_.missed.front();
      return fmt::format("{}, although {} comes before {}.", missed(0), name_(m.writer), name_(m.reader));
    }
    constexpr std::size_t kMostTold = 4;
    if (n > kMostTold) return std::string(kNothing);
    const bool crossed = n == 2 && roles_.missed[0].reader == roles_.missed[1].writer &&
                         roles_.missed[1].reader == roles_.missed[0].writer;
    if (crossed) return fmt::format("{}, and {}: neither saw what the other did.", missed(0), missed(1));
    if (found_.anomaly == Anomaly::long_fork && n == 2) return long_fork();
    std::string out;
    for (std::size_t i = 0; i < n; ++i) out += (i == 0 ? "" : "; ") + missed(i);
    return out + ": each missed what another did.";
  }

  // Why each comes before the next; nullopt if that is too long for a sentence.
  std::optional<std::string> reasons() const {
    constexpr std::size_t kMostTold = 3;
    std::string out;
    std::size_t told = 0;
    for (const std::uint32_t i : found_.derivation.cycle) {
      const check::Step& step = found_.derivation.steps[i];
      if (step.rule == check::Rule::program) continue;
      if (++told > kMostTold) return std::nullopt;
      out += (told == 1 ? "" : ", but ") +
             (step.rule == check::Rule::session
                  ? fmt::format("{} and {} ran in session {}, in this order", name_(step.from.txn),
                                name_(step.to.txn), printable(h_.name(h_.session_of(step.to.txn))))
                  : reason(h_, step, name_));
    }
    if (told == 0) return std::nullopt;
    return out + ": that is a circle.";
  }

  // Two readers, of whom each comes after what the other missed.
  std::string long_fork() const {
    const MissedWrite& one = roles_.missed[0];
    const MissedWrite& other = roles_.missed[1];
    return fmt::format(
        "{}, although {} comes after {}; {}, although {} comes after {}: they saw two writes in opposite "
        "orders.",
        missed(0), name_(one.reader), name_(other.writer), missed(1), name_(other.reader), name_(one.writer));
  }

  const History& h_;
  const Counterexample& found_;
  const Roles& roles_;
  const Naming& name_;
};

std::string of_bad_read(const History& history, const Counterexample& found) {
  std::string out = sentence(history, found.bad_reads.front());
  if (found.anomaly != Anomaly::dirty_update) return out;
  const auto append = evidence::appended_to_aborted(history, found.bad_reads.front());
  if (!append) return out;
  out.pop_back();
  return fmt::format("{}; the {} that {} appended stands on it.", out,
                     value_told(history, history.version(*append)),
                     full_name(history, history.transaction_of(*append)));
}

}  // namespace

std::string summary(const History& history, const evidence::Explanation& explanation, const Naming& naming) {
  const Counterexample& found = explanation.counterexample;
  if (!found.bad_reads.empty()) return of_bad_read(history, found);
  return Summary(history, found, explanation.roles, naming).sentence();
}

}  // namespace assay::report
