#include "evidence/counterexample.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <numeric>
#include <optional>
#include <utility>

#include "check/check.hpp"
#include "check/derivation.hpp"
#include "check/expand.hpp"
#include "evidence/bad_read.hpp"
#include "evidence/classify.hpp"
#include "evidence/direct_cycle.hpp"
#include "evidence/prove.hpp"
#include "history/sub_history.hpp"
#include "level/weakest.hpp"

namespace assay::evidence {

using check::BadRead;
using check::Derivation;
using check::Outcome;
using check::Step;
using check::Verdict;

namespace {

// Of the re-checks together, in operations; beside that, twice the size of the history.
constexpr PrivateWrites kPrivateWrites = PrivateWrites::are_left_out;
constexpr std::uint64_t kEffort = 3'000'000;
constexpr std::size_t kFewTransactions = 16;
// The named anomalies have at most four transactions; with whom these read from, hardly more than six.
constexpr std::size_t kTextbook = 4;
constexpr std::size_t kTextbookWithSources = 6;

void insert_transactions(const Derivation& derivation, std::vector<Txn>& set) {
  const std::vector<Txn> named = check::transactions_of(derivation);
  set.insert(set.end(), named.begin(), named.end());
  for (const Derivation::Case& one : derivation.cases) {
    for (const Txn t : {one.assumption.from.txn, one.assumption.to.txn}) {
      if (t != kInitialTxn) set.push_back(t);
    }
    insert_transactions(one.derivation, set);
  }
}

void normalise(std::vector<Txn>& set) {
  std::sort(set.begin(), set.end());
  set.erase(std::unique(set.begin(), set.end()), set.end());
}

// Calls visit(version) for each version that an operation read.
template <class Visit>
void for_each_version_read(const History& h, Op op, Visit visit) {
  if (h.kind(op) == OpKind::read) {
    if (!h.is_set(h.version(op))) return visit(h.version(op));
    for (const Version v : h.members(h.version(op))) visit(v);
  }
  if (h.kind(op) == OpKind::list_read) {
    for (const Version v : h.list(op).elements) visit(v);
  }
}

// Adds all that wrote what `reads` saw. Linear in the history.
void insert_writers(const History& h, std::span<const Op> reads, std::vector<Txn>& set) {
  std::vector<bool> read(h.versions(), false);
  for (const Op op : reads) for_each_version_read(h, op, [&](Version v) { read[index(v)] = true; });
  for (const Txn t : h.all_transactions()) {
    for (const Op op : h.operations_of(t)) {
      if (writes(h.kind(op)) && read[index(h.version(op))]) set.push_back(t);
    }
  }
}

// What may be missing from a set of transactions that contradict each other: writers that their reads can
// have seen, and readers without which a transaction of unknown fate would not count.
void complete(const History& h, std::vector<Txn>& set) {
  std::vector<bool> of_unknown(h.versions(), false);
  for (const Txn t : set) {
    if (h.status(t) != Status::unknown) continue;
    for (const Op op : h.operations_of(t)) {
      if (writes(h.kind(op))) of_unknown[index(h.version(op))] = true;
    }
  }
  for (const Txn t : h.all_transactions()) {
    if (h.status(t) != Status::committed) continue;
    for (const Op op : h.operations_of(t)) {
      for_each_version_read(h, op, [&](Version v) {
        if (!of_unknown[index(v)]) return;
        of_unknown[index(v)] = false;  // one reader is enough
        set.push_back(t);
      });
    }
  }
  normalise(set);
  std::vector<Op> reads;
  for (const Txn t : set) {
    for (const Op op : h.operations_of(t)) reads.push_back(op);
  }
  insert_writers(h, reads, set);
  normalise(set);
}

// What a part of a history must show to stand for the whole. A read that nothing explains is reported as such, and
// so are the transactions that it needs: not some contradiction that they have beside it.
struct Wanted {
  Level level;
  bool bad_read;
  bool is(const Outcome& outcome) const {
    return outcome.verdict == Verdict::violated && (!bad_read || !outcome.bad_reads.empty());
  }
};

// Leaves transactions out of a history while the rest still violates the level.
class Reduction {
 public:
  Reduction(const History& history, const Wanted& wanted, const check::Options& options, std::uint64_t effort)
      : h_(history),
        level_(wanted.level),
        wanted_(wanted),
        options_(options),
        lists_(implies(wanted.level, Level::prefix) ? ListPart::of_members : ListPart::if_source_is_member),
        effort_(effort) {}

  bool violates(std::span<const Txn> set) {
    const SubHistory part = sub_history(h_, set, lists_, kPrivateWrites);
    const std::uint64_t cost = std::uint64_t{h_.operations()} + part.history.operations();
    if (cost > effort_) {
      exhausted_ = true;
      return false;
    }
    effort_ -= cost;
    const std::array<Level, 1> levels{level_};
    Outcome outcome = std::move(check::check(part.history, levels, options_)[0]);
    if (!wanted_.is(outcome)) return false;
    blamed_.clear();
    std::vector<Txn> blamed = outcome.core;
    insert_transactions(outcome.derivation, blamed);
    normalise(blamed);
    for (const Txn t : blamed) blamed_.push_back(part.transactions[index(t)]);
    return true;
  }
  bool exhausted() const { return exhausted_; }

  // REQUIRES: violates(set).
  std::vector<Txn> minimal(std::vector<Txn> set) {
    // The check of a part often blames fewer transactions than the part has.
    while (!blamed_.empty() && blamed_.size() < set.size()) {
      std::vector<Txn> fewer = blamed_;
      if (!violates(fewer)) break;
      set = std::move(fewer);
    }
    for (std::size_t chunk = set.size() / 2; chunk >= 2 && set.size() > kFewTransactions; chunk /= 2) {
      for (std::size_t begin = 0; begin < set.size();) {
        if (!try_without(set, begin, std::min(begin + chunk, set.size()))) begin += chunk;
      }
    }
    std::vector<Txn> best = one_by_one(set, true);
    // Which is found depends on who is tried first.
    if (best.size() > kTextbook && set.size() <= kFewTransactions) {
      std::vector<Txn> other = one_by_one(set, false);
      if (other.size() < best.size()) best = std::move(other);
    }
    return best;
  }

 private:
  bool try_without(std::vector<Txn>& set, std::size_t begin, std::size_t end) {
    std::vector<Txn> rest(set.begin(), set.begin() + static_cast<std::ptrdiff_t>(begin));
    rest.insert(rest.end(), set.begin() + static_cast<std::ptrdiff_t>(end), set.end());
    if (rest.empty() || !violates(rest)) return false;
    set = std::move(rest);
    return true;
  }

  // A superset of a violating part violates too, so nobody needs to be tried twice.
  std::vector<Txn> one_by_one(std::vector<Txn> set, bool last_first) {
    std::vector<Txn> order = set;
    if (last_first) std::reverse(order.begin(), order.end());
    for (const Txn t : order) {
      const auto at = std::lower_bound(set.begin(), set.end(), t);
      const auto place = static_cast<std::size_t>(at - set.begin());
      try_without(set, place, place + 1);
    }
    return set;
  }

  const History& h_;
  const Level level_;
  const Wanted wanted_;
  const check::Options& options_;
  const ListPart lists_;
  std::uint64_t effort_;
  bool exhausted_ = false;
  std::vector<Txn> blamed_;  // by the last check that found a violation
};

// Without the steps that the cycle does not rest on. Of an axiom the last premise is its read, which the step
// names itself.
void prune(Derivation& derivation) {
  for (Step& step : derivation.steps) {
    if (step.rule == check::Rule::axiom) step.premises.pop_back();
  }
  std::vector<bool> needed(derivation.steps.size(), false);
  for (const std::uint32_t i : derivation.cycle) needed[i] = true;
  for (std::size_t i = derivation.steps.size(); i-- > 0;) {
    if (!needed[i]) continue;
    for (const std::uint32_t premise : derivation.steps[i].premises) needed[premise] = true;
  }
  std::vector<std::uint32_t> number(derivation.steps.size(), 0);
  std::vector<Step> kept;
  for (std::size_t i = 0; i < derivation.steps.size(); ++i) {
    if (!needed[i]) continue;
    number[i] = static_cast<std::uint32_t>(kept.size());
    kept.push_back(std::move(derivation.steps[i]));
  }
  for (Step& step : kept) {
    for (std::uint32_t& premise : step.premises) premise = number[premise];
  }
  for (std::uint32_t& i : derivation.cycle) i = number[i];
  derivation.steps = std::move(kept);
  for (Derivation::Case& one : derivation.cases) prune(one.derivation);
}

// The transactions to start from: few, and enough.
std::vector<Txn> suspects(const History& h, const Outcome& outcome) {
  std::vector<Txn> set;
  if (!outcome.bad_reads.empty()) {
    const BadRead& bad = outcome.bad_reads.front();
    set.push_back(bad.txn);
    std::vector<Op> reads{bad.read};
    if (bad.write != bad.read) {
      set.push_back(h.transaction_of(bad.write));
      if (!writes(h.kind(bad.write))) reads.push_back(bad.write);
    }
    insert_writers(h, reads, set);
  } else if (!outcome.core.empty()) {
    set = outcome.core;
  } else {
    insert_transactions(outcome.derivation, set);
  }
  normalise(set);
  return set;
}

// A part of the history, and of that the transactions that none can be left out of.
struct Reduced {
  SubHistory part;
  std::vector<Txn> members;  // of the part
  bool violates = false;
  bool minimal = false;
};

Reduced reduce(SubHistory part, const Wanted& wanted, const check::Options& options, std::uint64_t effort) {
  Reduced result{std::move(part), {}};
  if (result.part.transactions.empty()) return result;
  Reduction reduction(result.part.history, wanted, options, effort);
  result.members.resize(result.part.transactions.size());
  for (std::uint32_t t = 0; t < result.members.size(); ++t) result.members[t] = Txn{t};
  result.violates = reduction.violates(result.members);
  if (result.violates) result.members = reduction.minimal(std::move(result.members));
  result.minimal = !reduction.exhausted();
  return result;
}

// REQUIRES: pruned, so that all steps are needed.
bool uses_session(const Derivation& derivation) {
  return std::any_of(derivation.steps.begin(), derivation.steps.end(),
                     [](const Step& step) { return step.rule == check::Rule::session; }) ||
         std::any_of(derivation.cases.begin(), derivation.cases.end(),
                     [](const Derivation::Case& one) { return uses_session(one.derivation); });
}

// REQUIRES: the history has no queries.
Counterexample find_in_plain(const History& history, const Outcome& outcome, const check::Options& options) {
  assert(!history.has_queries());
  check::Options quiet = options;
  quiet.progress = {};
  quiet.threads = 1;
  quiet.method = check::Method::automatic;
  const ListPart lists =
      implies(outcome.level, Level::prefix) ? ListPart::of_members : ListPart::if_source_is_member;

  const Wanted wanted{outcome.level, !outcome.bad_reads.empty()};
  std::vector<Txn> start = suspects(history, outcome);
  SubHistory part = sub_history(history, start, lists, kPrivateWrites);
  const auto all_violate = [&] {
    if (part.transactions.empty()) return false;
    const std::array<Level, 1> levels{outcome.level};
    return wanted.is(check::check(part.history, levels, quiet)[0]);
  };
  if (!all_violate()) {
    complete(history, start);
    part = sub_history(history, start, lists, kPrivateWrites);
    if (!all_violate()) {
      std::vector<Txn> everybody(history.transactions());
      for (std::uint32_t t = 0; t < history.transactions(); ++t) everybody[t] = Txn{t};
      part = sub_history(history, everybody, lists, kPrivateWrites);
    }
  }

  const std::uint64_t effort = kEffort + 2 * std::uint64_t{history.operations()};
  Reduced reduced = reduce(std::move(part), wanted, quiet, effort);
  if (reduced.members.size() > kTextbookWithSources && implies(outcome.level, Level::prefix)) {
    const std::vector<Txn> direct = direct_cycle(history, outcome.level, quiet.sessions);
    Reduced other = reduce(sub_history(history, direct, lists, kPrivateWrites), wanted, quiet, effort);
    if (other.violates && other.members.size() < reduced.members.size()) reduced = std::move(other);
  }
  Counterexample found;
  found.minimal = reduced.minimal;

  const SubHistory smallest = sub_history(reduced.part.history, reduced.members, lists, kPrivateWrites);
  SubHistory whole_names;  // of the smallest part -> of the whole
  for (const Txn t : smallest.transactions)
    whole_names.transactions.push_back(reduced.part.transactions[index(t)]);
  for (const Key k : smallest.keys) whole_names.keys.push_back(reduced.part.keys[index(k)]);
  for (const Op op : smallest.operations)
    whole_names.operations.push_back(reduced.part.operations[index(op)]);
  found.transactions = whole_names.transactions;

  const std::array<Level, 1> levels{outcome.level};
  const Outcome again = std::move(check::check(smallest.history, levels, quiet)[0]);
  if (!again.bad_reads.empty()) {
    BadRead bad = again.bad_reads.front();
    bad.txn = whole_names.transactions[index(bad.txn)];
    bad.read = whole_names.operations[index(bad.read)];
    bad.write = whole_names.operations[index(bad.write)];
    found.bad_reads.push_back(bad);
  } else if (again.verdict == Verdict::violated) {
    if (auto proof = prove_violation(smallest.history, outcome.level, quiet)) {
      prune(*proof);
      found.derivation = std::move(*proof);
      check::speak_of_the_whole(found.derivation, whole_names);
    }
  }
  if (found.bad_reads.empty()) {
    found.anomaly = classify(smallest.history, outcome.level, quiet);
  } else {
    // What others appended is not in the smallest part.
    const BadRead& bad = found.bad_reads.front();
    found.anomaly = appended_to_aborted(history, bad) ? Anomaly::dirty_update : anomaly_of(history, bad);
  }
  found.by_session = uses_session(found.derivation);
  return found;
}

// Whether every circle has a step that rests on a row which a query did not return: also that it saw, instead of the
// row, what somebody left who cannot have been there yet.
bool speaks_of_absence(const Derivation& derivation, const check::Expanded& expanded) {
  if (derivation.cycle.empty()) {
    return std::all_of(derivation.cases.begin(), derivation.cases.end(), [&](const Derivation::Case& one) {
      return speaks_of_absence(one.derivation, expanded);
    });
  }
  return std::any_of(derivation.cycle.begin(), derivation.cycle.end(), [&](std::uint32_t i) {
    const Step& step = derivation.steps[i];
    return step.read != check::kNoOp && expanded.of_absent[index(step.read)];
  });
}

// Whether the circle rests on a query that did not return a row of somebody else on it: that row is a
// phantom. Where there are cases, what the query saw instead of the row is open, and one of them shows it.
bool rests_on_a_missed_row(const Derivation& derivation, const check::Expanded& expanded) {
  if (derivation.cycle.empty()) {
    const auto& cases = derivation.cases;
    return std::all_of(
               cases.begin(), cases.end(),
               [&](const Derivation::Case& one) { return speaks_of_absence(one.derivation, expanded); }) &&
           std::any_of(cases.begin(), cases.end(), [&](const Derivation::Case& one) {
             return rests_on_a_missed_row(one.derivation, expanded);
           });
  }
  return std::any_of(derivation.cycle.begin(), derivation.cycle.end(), [&](std::uint32_t i) {
    const Step& step = derivation.steps[i];
    const bool misses = step.rule == check::Rule::initial || step.rule == check::Rule::anti_dependency ||
                        step.rule == check::Rule::axiom;
    return misses && step.read != check::kNoOp && expanded.of_absent[index(step.read)];
  });
}

// What the pattern is called if it rests on rows that were not there, and not on rows that changed.
// Where the level forbids no phantoms as such, it is what it is called otherwise.
Anomaly as_phantom(Anomaly item, Level level) {
  if (!implies_any(level, info(Anomaly::phantom).forbidden_by)) return item;
  switch (item) {
    case Anomaly::non_repeatable_read:
    case Anomaly::fractured_read:
    case Anomaly::read_skew:
      return Anomaly::phantom;
    case Anomaly::write_skew:
    case Anomaly::anti_dependency_cycle:
      return Anomaly::predicate_write_skew;
    default:
      return item;
  }
}

void speak_of_the_original(Derivation& derivation, const check::Expanded& expanded) {
  for (Step& step : derivation.steps) {
    if (step.read != check::kNoOp) step.read = expanded.operations[index(step.read)];
  }
  for (Derivation::Case& one : derivation.cases) {
    Step& assumption = one.assumption;
    if (assumption.read != check::kNoOp) assumption.read = expanded.operations[index(assumption.read)];
    speak_of_the_original(one.derivation, expanded);
  }
}

// REQUIRES: the history has queries, of which `expanded` says what matters.
Counterexample find_in_expanded(const History& history, const check::Expanded& expanded,
                                const Outcome& outcome, const check::Options& options) {
  Outcome of_expanded = outcome;
  // Of these the outcome speaks in terms of the original.
  if (!of_expanded.bad_reads.empty()) {
    const std::array<Level, 1> levels{outcome.level};
    of_expanded = std::move(check::check(expanded.history, levels, options)[0]);
    if (of_expanded.bad_reads.empty()) return {};
  }
  Counterexample found = find_in_plain(expanded.history, of_expanded, options);
  if (rests_on_a_missed_row(found.derivation, expanded))
    found.anomaly = as_phantom(found.anomaly, outcome.level);
  for (BadRead& bad : found.bad_reads) check::speak_of_the_original(bad, expanded);
  speak_of_the_original(found.derivation, expanded);
  if (!found.bad_reads.empty()) found.anomaly = anomaly_of(history, found.bad_reads.front());
  return found;
}

// Taking all queries apart can cost far more than deciding did; those of the transactions to blame are enough.
std::optional<check::Expanded> expand_what_is_blamed(const History& history, const Outcome& outcome) {
  if (check::what_is_not_returned(outcome.level) != check::NotReturned::is_read) return std::nullopt;
  if (!outcome.bad_reads.empty()) {
    const BadRead& bad = outcome.bad_reads.front();
    return check::expand_queries_among(history, std::span(&bad.txn, 1), bad.row);
  }
  if (!implies(outcome.level, Level::prefix) || outcome.core.empty()) return std::nullopt;
  return check::expand_queries_among(history, outcome.core);
}

}  // namespace

Counterexample find_counterexample(const History& history, const Outcome& outcome,
                                   const check::Options& options) {
  assert(outcome.verdict == Verdict::violated);
  if (!history.has_queries()) return find_in_plain(history, outcome, options);
  if (const auto expanded = expand_what_is_blamed(history, outcome)) {
    Counterexample found = find_in_expanded(history, *expanded, outcome, options);
    if (!found.bad_reads.empty() || !found.derivation.empty()) return found;
  }
  return find_in_expanded(history, check::expand_queries(history, check::what_is_not_returned(outcome.level)),
                          outcome, options);
}

}  // namespace assay::evidence
