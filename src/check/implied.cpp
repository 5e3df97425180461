#include "check/implied.hpp"

#include <algorithm>
#include <cassert>
#include <vector>

#include "check/derivation.hpp"

namespace assay::check {

namespace {

// Whether its order has begins apart from commits.
bool has_begins(Level level) {
  return implies(level, Level::prefix) && !implies(level, Level::serializable);
}

std::vector<Event> commits(const std::vector<Event>& order) {
  std::vector<Event> result;
  std::copy_if(order.begin(), order.end(), std::back_inserter(result),
               [](const Event& event) { return event.side == Event::Side::commit; });
  return result;
}

std::vector<Event> with_begins(const std::vector<Event>& serial) {
  std::vector<Event> result;
  result.reserve(2 * serial.size());
  for (const Event& event : serial) {
    result.push_back({event.txn, Event::Side::begin});
    result.push_back({event.txn, Event::Side::commit});
  }
  return result;
}

// The candidates that ambiguous reads saw: the last that had committed when the reader began.
std::vector<std::uint32_t> seen_at_begin(const History& history, const Reads& reads,
                                         const std::vector<Event>& order) {
  std::vector<std::uint32_t> begin(history.transactions(), 0), commit(history.transactions(), 0);  // 0: never
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    (order[i].side == Event::Side::begin ? begin : commit)[index(order[i].txn)] = i + 1;
  }
  std::vector<std::uint32_t> choices;
  for (const Txn t : history.all_transactions()) {
    for (const Source source : reads.reads_of(t)) {
      if (!source.is_ambiguous()) continue;
      const auto candidates = reads.candidates(source.set());
      std::uint32_t seen = 0, latest = 0;
      for (std::uint32_t c = 0; c < candidates.size(); ++c) {
        if (reads.is_initial(candidates[c])) continue;  // the first, if at all
        const std::uint32_t at = commit[index(reads.writer(candidates[c]))];
        if (at <= latest || at > begin[index(t)]) continue;
        latest = at;
        seen = c;
      }
      choices.push_back(seen);
    }
  }
  return choices;
}

}  // namespace

bool settles(const Outcome& outcome, Level level) {
  switch (outcome.verdict) {
    case Verdict::holds:
      return implies(outcome.level, level);
    case Verdict::violated:
      return implies(level, outcome.level);
    case Verdict::undecided:
      break;
  }
  return false;
}

Outcome implied(const History& history, const Reads& reads, const Outcome& outcome, Level level) {
  assert(settles(outcome, level));
  Outcome result;
  result.level = level;
  result.verdict = outcome.verdict;
  result.method = "implied";
  if (outcome.verdict == Verdict::holds) {
    const bool weak = !implies(level, Level::prefix);
    if (has_begins(level)) {
      result.order = has_begins(outcome.level) ? outcome.order : with_begins(outcome.order);
    } else {
      result.order = commits(outcome.order);
    }
    if (weak && has_begins(outcome.level)) {
      result.choices = seen_at_begin(history, reads, outcome.order);
    } else if (weak) {
      result.choices = outcome.choices;  // a serial order tells them by itself
    }
    return result;
  }
  result.bad_reads = outcome.bad_reads;
  result.core = outcome.core;
  if (outcome.bad_reads.empty() && result.core.empty()) result.core = transactions_of(outcome.derivation);
  // An instance of a weaker axiom is one of a stronger axiom; the strong levels' rules are of another kind.
  if (!implies(level, Level::prefix) || implies(outcome.level, Level::prefix))
    result.derivation = outcome.derivation;
  return result;
}

}  // namespace assay::check
