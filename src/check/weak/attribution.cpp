#include "check/weak/attribution.hpp"

#include <algorithm>
#include <cadical.hpp>
#include <cassert>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "check/derivation.hpp"
#include "check/weak/commit_order.hpp"

namespace assay::check {

namespace {

constexpr std::size_t kMostVariables = 4'000'000;
// Effort without a time limit, in transactions and reads looked at.
constexpr std::uint64_t kMostWork = 1'000'000'000;
constexpr std::size_t kContradictionsPerProposal = 1000;

class AttributionSearch {
 public:
  AttributionSearch(const History& history, const Reads& reads, SessionOrder sessions, Level level,
                    Limits& limits)
      : h_(history), reads_(reads), sessions_(sessions), level_(level), limits_(limits) {}

  Outcome run(std::span<const std::uint32_t> likely) {
    Outcome outcome;
    outcome.method = "attribution";
    solver_.set("quiet", 1);
    solver_.set("lucky", 0);  // or it begins with its own guess, which is every candidate
    if (!number_choices()) {
      outcome.reason = "too many reads have too many candidate writers";
      return outcome;
    }
    assert(likely.size() == ambiguous_.size());
    prefer(likely);
    std::uint64_t work = 0, proposals = 0, refuted = 0;
    std::vector<std::uint32_t> choice(ambiguous_.size());
    Derivation last;
    while (true) {
      if (solver_.solve() == kUnsatisfiable) {
        outcome.verdict = Verdict::violated;
        outcome.derivation = std::move(last);
        outcome.core = core();
        break;
      }
      for (std::size_t i = 0; i < ambiguous_.size(); ++i) {
        choice[i] = 0;
        while (solver_.val(variable(i, choice[i])) < 0) ++choice[i];
      }
      const AttributedHistory attributed(h_, reads_, sessions_, choice);
      const CommitOrder found = find_commit_order(attributed, level_, limits_, kContradictionsPerProposal);
      ++proposals;
      work += attributed.transactions() + attributed.reads_count();
      if (found.verdict == Verdict::holds) {
        outcome.verdict = Verdict::holds;
        for (const Txn t : found.order) outcome.order.push_back({t});
        outcome.choices = choice;
        break;
      }
      bool without_choice = false;
      for (const Explanation& explanation : found.contradictions) {
        ++refuted;
        last = explanation.derivation;
        without_choice = explanation.ambiguous_reads.empty() && explanation.conditional.empty();
        if (without_choice) break;
        learn(explanation, choice);
        remember(explanation);
      }
      if (without_choice) {
        outcome.verdict = Verdict::violated;
        outcome.derivation = std::move(last);
        break;
      }
      if (found.verdict == Verdict::undecided || limits_.exceeded_now()) {
        outcome.reason = limits_.reason() + " while trying which write each ambiguous read saw";
        break;
      }
      // Queries leave a read for every row that they did not return: what no few attempts settle takes many.
      if (!limits_.limited() && work > (h_.has_moments() ? kMostWork / 10 : kMostWork)) {
        outcome.reason = "too many ways to attribute its " + std::to_string(ambiguous_.size()) +
                         " ambiguous reads; set a time limit to search on";
        break;
      }
    }
    outcome.counts = {{"attributions tried", proposals}, {"contradictions learned", refuted}};
    return outcome;
  }

 private:
  static constexpr int kUnsatisfiable = 20;

  struct Ambiguous {
    Txn reader;
    std::uint32_t set;
    int first_variable;
  };

  int variable(std::size_t read, std::uint32_t candidate) const {
    return ambiguous_[read].first_variable + static_cast<int>(candidate);
  }

  // One variable per read and candidate, one per transaction that counts only if chosen.
  bool number_choices() {
    int next = 1;
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

  void prefer(std::span<const std::uint32_t> likely) {
    for (std::size_t i = 0; i < likely.size(); ++i) {
      const auto candidates = static_cast<std::uint32_t>(reads_.candidates(ambiguous_[i].set).size());
      for (std::uint32_t c = 0; c < candidates; ++c)
        solver_.phase(c == likely[i] ? variable(i, c) : -variable(i, c));
    }
    for (const auto& [t, v] : counts_) solver_.phase(-v);
  }

  void learn(const Explanation& explanation, const std::vector<std::uint32_t>& choice) {
    for (const std::uint32_t read : explanation.ambiguous_reads) {
      const std::size_t place = place_of_read_.at(read);
      solver_.add(-variable(place, choice[place]));
    }
    for (const Txn t : explanation.conditional) solver_.add(-counts_.at(t));
    solver_.add(0);
  }

  // What the learned clauses speak of.
  void remember(const Explanation& explanation) {
    const std::vector<Txn> txns = transactions_of(explanation.derivation);
    core_.insert(txns.begin(), txns.end());
    for (const std::uint32_t read : explanation.ambiguous_reads) used_reads_.insert(place_of_read_.at(read));
    used_conditional_.insert(explanation.conditional.begin(), explanation.conditional.end());
  }

  // Transactions that leave no attribution already: those of the contradictions, all candidates of the reads
  // that the contradictions rest on, and all readers that can make a transaction of unknown fate count.
  std::vector<Txn> core() {
    for (std::size_t i = 0; i < ambiguous_.size(); ++i) {
      const auto candidates = reads_.candidates(ambiguous_[i].set);
      const bool used = used_reads_.count(i) != 0 ||
                        std::any_of(candidates.begin(), candidates.end(),
                                    [&](Write w) { return used_conditional_.count(reads_.writer(w)) != 0; });
      if (!used) continue;
      core_.insert(ambiguous_[i].reader);
      for (const Write w : candidates) {
        if (!reads_.is_initial(w)) core_.insert(reads_.writer(w));
      }
    }
    return {core_.begin(), core_.end()};
  }

  const History& h_;
  const Reads& reads_;
  SessionOrder sessions_;
  Level level_;
  Limits& limits_;
  CaDiCaL::Solver solver_;
  std::set<Txn> core_;
  std::set<std::size_t> used_reads_;
  std::set<Txn> used_conditional_;
  std::vector<Ambiguous> ambiguous_;
  std::unordered_map<std::uint32_t, std::size_t> place_of_read_;
  std::unordered_map<Txn, int> counts_;
};

}  // namespace

Outcome search_attribution(const History& history, const Reads& reads, SessionOrder sessions, Level level,
                           std::span<const std::uint32_t> likely, Limits& limits) {
  return AttributionSearch(history, reads, sessions, level, limits).run(likely);
}

}  // namespace assay::check
