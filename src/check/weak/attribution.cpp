#include "check/weak/attribution.hpp"

#include <algorithm>
#include <cassert>
#include <string>

#include "check/derivation.hpp"

namespace assay::check {

namespace {

constexpr std::size_t kMostVariables = 4'000'000;
// Effort without a time limit, in transactions and reads looked at.
constexpr std::uint64_t kMostWork = 1'000'000'000;
constexpr std::size_t kContradictionsPerProposal = 1000;
constexpr int kUnsatisfiable = 20;

std::size_t place(Level level) {
  return static_cast<std::size_t>(level);
}

}  // namespace

AttributionSearch::AttributionSearch(const History& history, const Reads& reads, SessionOrder sessions,
                                     std::span<const std::uint32_t> likely)
    : h_(history), reads_(reads), sessions_(sessions) {
  solver_.set("quiet", 1);
  solver_.set("lucky", 0);  // or it begins with its own guess, which is every candidate
  too_many_ = !number_choices();
  if (too_many_) return;
  assert(likely.size() == ambiguous_.size());
  prefer(likely);
  for (const auto& [t, v] : counts_) solver_.phase(-v);
  for (const Learned& learned : learned_) solver_.phase(-learned.literal);
}

Outcome AttributionSearch::decide(Level level, Limits& limits, std::optional<std::uint64_t> most_proposals) {
  assert(place(level) < learned_.size());
  Outcome outcome;
  outcome.method = "attribution";
  if (too_many_) {
    outcome.reason = "too many reads have too many candidate writers";
    return outcome;
  }
  std::uint64_t work = 0, proposals = 0, contradictions = 0;
  std::vector<std::uint32_t> choice(ambiguous_.size());
  while (true) {
    if (!propose(level, choice)) {
      refuted(level, outcome);
      break;
    }
    const AttributedHistory attributed(h_, reads_, sessions_, choice);
    CommitOrder found = find_commit_order(attributed, level, limits, kContradictionsPerProposal);
    ++proposals;
    work += attributed.transactions() + attributed.reads_count();
    if (found.verdict == Verdict::holds) {
      outcome.verdict = Verdict::holds;
      for (const Txn t : found.order) outcome.order.push_back({t});
      prefer(choice);
      outcome.choices = std::move(choice);
      break;
    }
    if (!found.contradictions.empty() && found.contradictions.back().is_certain()) {
      outcome.verdict = Verdict::violated;
      outcome.derivation = std::move(found.contradictions.back().derivation);
      break;
    }
    for (const Explanation& explanation : found.contradictions) {
      ++contradictions;
      learn(learned_[place(level)], explanation, choice);
    }
    if (found.verdict == Verdict::undecided || limits.exceeded_now()) {
      outcome.reason = limits.reason() + " while trying which write each ambiguous read saw";
      break;
    }
    // Queries leave a read for every row that they did not return: what no few attempts settle takes many.
    const bool too_much = !limits.limited() && work > (h_.has_moments() ? kMostWork / 10 : kMostWork);
    if (too_much || (most_proposals && proposals >= *most_proposals)) {
      outcome.reason = "too many ways to attribute its " + std::to_string(ambiguous_.size()) +
                       " ambiguous reads; set a time limit to search on";
      break;
    }
  }
  outcome.counts = {{"attributions tried", proposals}, {"contradictions learned", contradictions}};
  return outcome;
}

// One variable per read and candidate, one per transaction that counts only if chosen, one per level.
bool AttributionSearch::number_choices() {
  int next = 1;
  for (Learned& learned : learned_) learned.literal = next++;
  std::uint32_t read = 0;
  for (const Txn t : h_.all_transactions()) {
    for (const Source source : reads_.reads_of(t)) {
      if (source.is_ambiguous()) {
        if (static_cast<std::size_t>(next) + reads_.candidates(source.set()).size() > kMostVariables)
          return false;
        place_of_read_[read] = ambiguous_.size();
        ambiguous_.push_back({t, source.set(), next});
        next += static_cast<int>(reads_.candidates(source.set()).size());
      }
      ++read;
    }
  }
  for (const Txn t : h_.all_transactions()) {
    if (reads_.presence(t) == Presence::conditional) counts_[t] = next++;
  }
  for (const Ambiguous& a : ambiguous_) {
    const auto candidates = reads_.candidates(a.set);
    for (std::size_t c = 0; c < candidates.size(); ++c) solver_.add(a.first_variable + static_cast<int>(c));
    solver_.add(0);
    for (std::size_t c = 0; c < candidates.size(); ++c) {
      const auto counts = counts_.find(reads_.writer(candidates[c]));
      if (counts == counts_.end()) continue;
      solver_.add(-(a.first_variable + static_cast<int>(c)));
      solver_.add(counts->second);
      solver_.add(0);
    }
  }
  return true;
}

void AttributionSearch::prefer(std::span<const std::uint32_t> choice) {
  for (std::size_t i = 0; i < choice.size(); ++i) {
    const auto candidates = static_cast<std::uint32_t>(reads_.candidates(ambiguous_[i].set).size());
    for (std::uint32_t c = 0; c < candidates; ++c)
      solver_.phase(c == choice[i] ? variable(i, c) : -variable(i, c));
  }
}

// An attribution that nothing learned contradicts, or false if there is none.
bool AttributionSearch::propose(Level level, std::vector<std::uint32_t>& choice) {
  for (std::size_t i = 0; i < learned_.size(); ++i) {
    if (implies(level, static_cast<Level>(i))) solver_.assume(learned_[i].literal);
  }
  if (solver_.solve() == kUnsatisfiable) return false;
  for (std::size_t i = 0; i < ambiguous_.size(); ++i) {
    choice[i] = 0;
    while (solver_.val(variable(i, choice[i])) < 0) ++choice[i];
  }
  return true;
}

void AttributionSearch::learn(Learned& learned, const Explanation& explanation,
                              const std::vector<std::uint32_t>& choice) {
  solver_.add(-learned.literal);
  for (const std::uint32_t read : explanation.ambiguous_reads) {
    const std::size_t at = place_of_read_.at(read);
    solver_.add(-variable(at, choice[at]));
    learned.reads.insert(at);
  }
  for (const Txn t : explanation.conditional) solver_.add(-counts_.at(t));
  solver_.add(0);
  learned.conditional.insert(explanation.conditional.begin(), explanation.conditional.end());
  const std::vector<Txn> txns = transactions_of(explanation.derivation);
  learned.core.insert(txns.begin(), txns.end());
  learned.last = explanation.derivation;
}

// No attribution is left. The core are transactions that leave none already: those of the contradictions, all
// candidates of the reads that the contradictions rest on, and all readers that can make a transaction of
// unknown fate count.
void AttributionSearch::refuted(Level level, Outcome& outcome) const {
  outcome.verdict = Verdict::violated;
  std::set<Txn> core, conditional;
  std::set<std::size_t> used;
  for (std::size_t i = 0; i < learned_.size(); ++i) {
    if (!implies(level, static_cast<Level>(i))) continue;
    const Learned& learned = learned_[i];
    core.insert(learned.core.begin(), learned.core.end());
    used.insert(learned.reads.begin(), learned.reads.end());
    conditional.insert(learned.conditional.begin(), learned.conditional.end());
    if (!learned.last.empty()) outcome.derivation = learned.last;
  }
  for (std::size_t i = 0; i < ambiguous_.size(); ++i) {
    const auto candidates = reads_.candidates(ambiguous_[i].set);
    if (used.count(i) == 0 && std::none_of(candidates.begin(), candidates.end(), [&](Write w) {
          return conditional.count(reads_.writer(w)) != 0;
        })) {
      continue;
    }
    core.insert(ambiguous_[i].reader);
    for (const Write w : candidates) {
      if (!reads_.is_initial(w)) core.insert(reads_.writer(w));
    }
  }
  outcome.core.assign(core.begin(), core.end());
}

}  // namespace assay::check
