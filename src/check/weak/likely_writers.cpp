#include "check/weak/likely_writers.hpp"

#include <algorithm>
#include <optional>
#include <queue>
#include <span>
#include <unordered_map>
#include <utility>

#include "order/graph.hpp"

namespace assay::check {

namespace {

// What each transaction knows takes an entry per session; beyond this many it is not looked at.
constexpr std::size_t kMostEntries = 32'000'000;

class Rerun {
 public:
  Rerun(const History& history, const Reads& reads)
      : h_(history),
        reads_(reads),
        waits_for_(history.transactions(), 0),
        ran_(history.transactions(), 0),
        next_in_session_(history.sessions(), 0) {
    if (std::size_t{h_.transactions()} * h_.sessions() <= kMostEntries)
      clocks_.assign(std::size_t{h_.transactions()} * h_.sessions(), 0);
    std::vector<order::Edge> edges;
    for (const Txn t : h_.all_transactions()) {
      first_choice_.push_back(static_cast<std::uint32_t>(choice_.size()));
      if (h_.position_in_session(t) > 0) ++waits_for_[index(t)];
      for (const Source source : reads_.reads_of(t)) {
        if (source.is_ambiguous()) {
          choice_.push_back(0);
        } else if (!reads_.is_initial(source.write())) {
          edges.push_back({index(reads_.writer(source.write())), index(t)});
          ++waits_for_[index(t)];
        }
      }
    }
    readers_ = order::Graph(h_.transactions(), edges);
  }

  std::vector<std::uint32_t> run() {
    for (const Txn t : h_.all_transactions()) {
      if (waits_for_[index(t)] == 0) make_ready(t);
    }
    for (std::uint32_t done = 0; done < h_.transactions();) {
      if (ready_.empty()) {
        run_one(least_in_the_way());
        ++done;
        continue;
      }
      const Txn t = ready_.top().second;
      ready_.pop();
      if (ran_[index(t)] != 0) continue;  // by force
      if (has_to_wait(t)) continue;
      run_one(t);
      ++done;
    }
    return std::move(choice_);
  }

 private:
  // When a transaction ran, as far as one can tell.
  double guessed_time(Txn t) const {
    if (h_.has_times()) {
      if (const auto end = h_.end(t)) return static_cast<double>(*end);
      if (const auto start = h_.start(t)) return static_cast<double>(*start);
    }
    const auto session = h_.transactions_of(h_.session_of(t));
    return (h_.position_in_session(t) + 0.5) / session.size();
  }

  void make_ready(Txn t) { ready_.emplace(guessed_time(t), t); }

  bool has_run(Write w) const { return reads_.is_initial(w) || ran_[index(reads_.writer(w))] != 0; }

  // Whether some read of t can have seen nothing that ran so far; then t is ready again when that changes.
  bool has_to_wait(Txn t) {
    for (const Source source : reads_.reads_of(t)) {
      if (!source.is_ambiguous()) continue;
      const auto candidates = reads_.candidates(source.set());
      if (std::any_of(candidates.begin(), candidates.end(), [&](Write w) { return has_run(w); })) continue;
      for (const Write w : candidates) waiting_[reads_.writer(w)].push_back(t);
      return true;
    }
    return false;
  }

  // Of the transactions that come next in their sessions the one that should have run first.
  Txn least_in_the_way() const {
    std::optional<std::pair<double, Txn>> first;
    for (std::uint32_t s = 0; s < h_.sessions(); ++s) {
      const auto session = h_.transactions_of(Session{s});
      if (next_in_session_[s] == session.size()) continue;
      const Txn t = session[next_in_session_[s]];
      const std::pair<double, Txn> its{guessed_time(t), t};
      if (!first || its < *first) first = its;
    }
    return first->second;
  }

  void run_one(Txn t) {
    learn(t);
    ran_[index(t)] = ++now_;
    const std::uint32_t session = index(h_.session_of(t));
    const auto transactions = h_.transactions_of(Session{session});
    next_in_session_[session] = h_.position_in_session(t) + 1;
    if (next_in_session_[session] < transactions.size()) arrived(transactions[next_in_session_[session]]);
    for (const std::uint32_t reader : readers_.successors(index(t))) arrived(Txn{reader});
    const auto waiting = waiting_.find(t);
    if (waiting == waiting_.end()) return;
    for (const Txn reader : waiting->second) make_ready(reader);
    waiting_.erase(waiting);
  }

  // One thing less to wait for.
  void arrived(Txn t) {
    if (--waits_for_[index(t)] == 0 && ran_[index(t)] == 0) make_ready(t);
  }

  // What t knows, and what its ambiguous reads saw.
  void learn(Txn t) {
    if (h_.position_in_session(t) > 0)
      merge(t, h_.transactions_of(h_.session_of(t))[h_.position_in_session(t) - 1]);
    for (const Source source : reads_.reads_of(t)) {
      if (!source.is_ambiguous() && !reads_.is_initial(source.write()))
        merge(t, reads_.writer(source.write()));
    }
    std::uint32_t at = first_choice_[index(t)];
    for (const Source source : reads_.reads_of(t)) {
      if (!source.is_ambiguous()) continue;
      const auto candidates = reads_.candidates(source.set());
      const std::uint32_t seen = choose(t, candidates);
      choice_[at++] = seen;
      if (!reads_.is_initial(candidates[seen])) merge(t, reads_.writer(candidates[seen]));
    }
    if (!clocks_.empty()) clock(t)[index(h_.session_of(t))] = h_.position_in_session(t) + 1;
  }

  std::uint32_t choose(Txn t, std::span<const Write> candidates) {
    if (!clocks_.empty()) find_latest_known(t, reads_.key(candidates[0]));
    // The latest of those that can be, or of those that ran, or else any.
    std::uint32_t best = 0;
    std::pair<int, std::uint32_t> best_claim{-1, 0};
    for (std::uint32_t c = 0; c < candidates.size(); ++c) {
      const Write w = candidates[c];
      const std::uint32_t time = reads_.is_initial(w) ? 0 : ran_[index(reads_.writer(w))];
      const std::pair<int, std::uint32_t> claim{!has_run(w) ? 0 : is_overwritten(w) ? 1 : 2, time};
      if (claim <= best_claim) continue;
      best = c;
      best_claim = claim;
    }
    return best;
  }

  // For each session, how many of its transactions come before t or are t.
  std::span<std::uint32_t> clock(Txn t) {
    return {clocks_.data() + std::size_t{index(t)} * h_.sessions(), h_.sessions()};
  }
  void merge(Txn t, Txn earlier) {
    if (clocks_.empty() || earlier == t) return;
    const std::span<std::uint32_t> into = clock(t), from = clock(earlier);
    for (std::size_t s = 0; s < into.size(); ++s) into[s] = std::max(into[s], from[s]);
  }

  // The last writer of the key in each session that t knows.
  void find_latest_known(Txn t, Key key) {
    latest_known_.clear();
    const IdRange<Write> writes = reads_.writes_of(key);
    const std::uint32_t first = index(writes[0]) + 1;  // the initial write is nobody's
    const std::uint32_t last = index(writes[0]) + static_cast<std::uint32_t>(writes.size());
    const std::span<const std::uint32_t> known = clock(t);
    for (std::uint32_t s = 0; s < h_.sessions(); ++s) {
      if (known[s] == 0) continue;
      const auto session = h_.transactions_of(Session{s});
      // Writes of a key are in order of their transactions.
      std::uint32_t low = first, high = last;
      while (low < high) {
        const std::uint32_t middle = low + (high - low) / 2;
        if (reads_.writer(Write{middle}) <= session[known[s] - 1]) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      if (low > first && h_.session_of(reads_.writer(Write{low - 1})) == Session{s})
        latest_known_.push_back(reads_.writer(Write{low - 1}));
    }
  }

  // By one of those that find_latest_known found.
  bool is_overwritten(Write w) {
    if (clocks_.empty()) return false;
    if (reads_.is_initial(w)) return !latest_known_.empty();
    const Txn writer = reads_.writer(w);
    return std::any_of(latest_known_.begin(), latest_known_.end(), [&](Txn later) {
      return later != writer && clock(later)[index(h_.session_of(writer))] > h_.position_in_session(writer);
    });
  }

  const History& h_;
  const Reads& reads_;
  order::Graph readers_;                  // from writers to those who certainly read from them
  std::vector<std::uint32_t> waits_for_;  // how many have to run before
  std::vector<std::uint32_t> ran_;        // when, from 1 on; 0: not yet
  std::uint32_t now_ = 0;
  std::vector<std::uint32_t> next_in_session_;
  std::priority_queue<std::pair<double, Txn>, std::vector<std::pair<double, Txn>>, std::greater<>> ready_;
  std::unordered_map<Txn, std::vector<Txn>> waiting_;  // by the writer that they wait for
  std::vector<std::uint32_t> clocks_, first_choice_, choice_;
  std::vector<Txn> latest_known_;
};

}  // namespace

std::vector<std::uint32_t> likely_writers(const History& history, const Reads& reads) {
  return Rerun(history, reads).run();
}

}  // namespace assay::check
