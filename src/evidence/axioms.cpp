#include "evidence/axioms.hpp"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "evidence/commit_order.hpp"

namespace assay::evidence {

namespace {

constexpr std::size_t kMostClocks = std::size_t{1} << 27;
constexpr std::size_t kMostTrials = 1'000'000;

// Goes through the transactions in commit order. Everything that is visible to a transaction stands before
// it, so by then its own reads are all that is still open; where they can have seen several writers each
// combination is tried, and where that choice matters to later transactions it is taken back when they fail.
class Axiom {
 public:
  Axiom(const History& h, Level level, bool keep_sessions, const CommitOrder& co)
      : h_(h), level_(level), keep_sessions_(keep_sessions), co_(co), choices_(h.transactions()) {}

  std::optional<std::string> check() {
    if (level_ == Level::causal) {
      const std::size_t clocks = std::size_t{h_.transactions()} * chains();
      if (clocks > kMostClocks) return "the history is too large to confirm causal consistency";
      clocks_.assign(clocks, 0);
    }
    const auto order = co_.order();
    std::vector<std::size_t> undo(order.size());
    std::size_t trials = 0;
    for (std::size_t i = 0; i < order.size(); ++i) reset(order[i]);
    for (std::size_t i = 0; i < order.size();) {
      const Txn t = order[i];
      if (++trials > order.size() + kMostTrials) {
        return "too many reads have several possible writers to confirm the order";
      }
      if (holds(t)) {
        undo[i++] = trail_.size();
        publish(t);
        continue;
      }
      const Key failed = failed_;
      while (!next_choice(order[i])) {
        if (i == 0 || is_local())
          return co_.name_read(t, failed) + " does not see what the level lets it see";
        --i;
        take_back(undo[i]);
      }
    }
    return std::nullopt;
  }

 private:
  // Whether what a transaction saw is of no interest to the axiom elsewhere.
  bool is_local() const {
    return level_ != Level::causal && level_ != Level::monotonic_reads &&
           level_ != Level::writes_follow_reads;
  }
  std::uint32_t chains() const { return keep_sessions_ ? h_.sessions() : h_.transactions(); }
  std::uint32_t chain(Txn t) const { return keep_sessions_ ? index(h_.session_of(t)) : index(t); }

  void reset(Txn t) { choices_[index(t)].assign(co_.reads(t).size(), 0); }
  bool next_choice(Txn t) {
    const auto reads = co_.reads(t);
    auto& choice = choices_[index(t)];
    for (std::size_t i = 0; i < reads.size(); ++i) {
      if (reads[i].first + ++choice[i] < reads[i].last) return true;
      choice[i] = 0;
    }
    return false;
  }
  Txn source(Txn t, std::size_t i) const {
    return co_.possible_writer(co_.reads(t)[i].first + choices_[index(t)][i]);
  }

  bool holds(Txn t) {
    if (level_ == Level::causal) tick(t);
    const auto reads = co_.reads(t);
    for (std::size_t i = 0; i < reads.size(); ++i) {
      failed_ = reads[i].key;
      if (!read_holds(t, i)) return false;
    }
    return true;
  }

  bool read_holds(Txn t, std::size_t i) const {
    const Key key = co_.reads(t)[i].key;
    const Txn t1 = source(t, i);
    const std::size_t count = co_.reads(t).size();
    // The axiom for one visible t2.
    const auto allows = [&](Txn t2) { return t2 == t1 || co_.before(t2, t1); };
    const auto allows_any = [&](std::optional<Txn> t2) { return !t2 || allows(*t2); };
    const auto allows_source = [&](std::size_t j) {
      const Txn t2 = source(t, j);
      return t2 == kInitialTxn || !co_.writes_key(t2, key) || allows(t2);
    };
    const auto all_sources = [&](std::size_t first, std::size_t last, auto allowed) {
      for (std::size_t j = first; j < last; ++j) {
        if (!allowed(j)) return false;
      }
      return true;
    };
    switch (level_) {
      case Level::read_committed:
      case Level::monotonic_atomic_view:
        return all_sources(0, i, [&](std::size_t j) {
          return co_.reads(t)[j].moment == co_.reads(t)[i].moment || allows_source(j);
        });
      case Level::read_atomic:
        return all_sources(0, count, allows_source) && allows_any(earlier_in_session(t, key));
      case Level::read_your_writes:
        return allows_any(earlier_in_session(t, key));
      case Level::monotonic_reads:
        return allows_any(seen(chain(t), key, t));
      case Level::monotonic_writes:
        return all_sources(0, count, [&](std::size_t j) {
          const Txn writer = source(t, j);
          return writer == kInitialTxn || allows_any(earlier_in_session(writer, key));
        });
      case Level::writes_follow_reads:
        return all_sources(0, count, [&](std::size_t j) {
          const Txn writer = source(t, j);
          return writer == kInitialTxn || allows_any(seen(chain(writer), key, writer));
        });
      case Level::causal:
        return all_of_the_past(t, key, allows);
      default:  // repeatable_read
        return all_sources(0, i,
                           [&](std::size_t j) { return co_.reads(t)[j].key != key || source(t, j) == t1; });
    }
  }

  std::optional<Txn> earlier_in_session(Txn t, Key k) const {
    return keep_sessions_ ? co_.earlier_in_session(t, k) : std::nullopt;
  }

  // Causal: the past of a transaction is a prefix of every session, given by the number of the first
  // transaction that is not in it.
  std::uint32_t* clock(Txn t) { return clocks_.data() + std::size_t{index(t)} * chains(); }
  const std::uint32_t* clock(Txn t) const { return clocks_.data() + std::size_t{index(t)} * chains(); }
  void tick(Txn t) {
    std::uint32_t* mine = clock(t);
    std::fill(mine, mine + chains(), 0);
    const auto include = [&](Txn other) {
      const std::uint32_t* its = clock(other);
      for (std::uint32_t c = 0; c < chains(); ++c) mine[c] = std::max(mine[c], its[c]);
      mine[chain(other)] = std::max(mine[chain(other)], index(other) + 1);
    };
    if (keep_sessions_) {
      for (Txn before = t; h_.position_in_session(before) > 0;) {
        before = Txn{index(before) - 1};
        if (!co_.is_there(before)) continue;
        include(before);
        break;
      }
    }
    for (std::size_t i = 0; i < co_.reads(t).size(); ++i) {
      if (source(t, i) != kInitialTxn) include(source(t, i));
    }
  }
  std::uint32_t end_of_session(Txn t) const {
    const IdRange<Txn> session = h_.transactions_of(h_.session_of(t));
    return index(session[session.size() - 1]) + 1;
  }
  template <class Allows>
  bool all_of_the_past(Txn t, Key key, Allows allows) const {
    const auto writers = co_.writers(key);
    const std::uint32_t* past = clock(t);
    // Of each session only the last writer in the past matters: co extends session order.
    for (auto first = writers.begin(); first != writers.end();) {
      const std::uint32_t end = keep_sessions_ ? end_of_session(*first) : index(*first) + 1;
      const auto last = std::lower_bound(first, writers.end(), Txn{end});
      const auto unseen = std::lower_bound(first, last, Txn{past[chain(*first)]});
      if (unseen != first && !allows(*(unseen - 1))) return false;
      first = last;
    }
    return true;
  }

  // Per session and key: the latest writer of the key that the session had seen after each transaction that
  // saw a later one.
  struct Seen {
    Txn by, writer;
  };
  static std::uint64_t slot(std::uint32_t c, Key k) { return std::uint64_t{c} << 32 | index(k); }
  std::optional<Txn> seen(std::uint32_t c, Key k, Txn until) const {
    const auto found = seen_.find(slot(c, k));
    if (found == seen_.end()) return std::nullopt;
    const auto& all = found->second;
    const auto after =
        std::upper_bound(all.begin(), all.end(), until, [](Txn t, const Seen& s) { return t < s.by; });
    if (after == all.begin()) return std::nullopt;
    return (after - 1)->writer;
  }
  void publish(Txn t) {
    if (level_ != Level::monotonic_reads && level_ != Level::writes_follow_reads) return;
    for (std::size_t i = 0; i < co_.reads(t).size(); ++i) {
      const Txn writer = source(t, i);
      if (writer == kInitialTxn) continue;
      for (const Key k : co_.keys_written(writer)) {
        auto& all = seen_[slot(chain(t), k)];
        if (!all.empty() && !co_.before(all.back().writer, writer)) continue;
        all.push_back({t, writer});
        trail_.push_back(slot(chain(t), k));
      }
    }
  }
  void take_back(std::size_t size) {
    for (; trail_.size() > size; trail_.pop_back()) seen_[trail_.back()].pop_back();
  }

  const History& h_;
  Level level_;
  bool keep_sessions_;
  const CommitOrder& co_;
  std::vector<std::vector<std::uint32_t>> choices_;  // per transaction and read: which possible writer
  std::vector<std::uint32_t> clocks_;                // per transaction and session
  std::unordered_map<std::uint64_t, std::vector<Seen>> seen_;
  std::vector<std::uint64_t> trail_;
  Key failed_{};
};

}  // namespace

std::optional<std::string> check_axiom(const History& history, Level level, bool keep_sessions,
                                       std::span<const check::Event> order, Operations& operations) {
  CommitOrder co(history, operations);
  if (auto wrong = co.place(order, keep_sessions, level == Level::repeatable_read)) return wrong;
  return Axiom(history, level, keep_sessions, co).check();
}

}  // namespace assay::evidence
