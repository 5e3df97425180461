#include "support/judge/brute_force_queries.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <stdexcept>
#include <vector>

#include "history/key_order.hpp"
#include "history/predicate.hpp"

namespace assay {

namespace {

constexpr int kInitial = -1;

// What a key holds: a version, and whether that is a row.
struct Cell {
  Version version{};
  bool row = false;
  bool operator==(const Cell&) const = default;
};
using State = std::vector<Cell>;  // per key

class Judge {
 public:
  Judge(const History& h, Level level, bool session_order)
      : h_(h), level_(level), session_order_(session_order), n_(static_cast<int>(h.transactions())) {
    if (n_ > 7) throw std::invalid_argument("too many transactions for brute force");
    for (std::uint32_t k = 0; k < h.keys(); ++k) {
      initial_.push_back({h.initial_version(Key{k}), h.initial_is_row(Key{k})});
    }
  }

  // A predicate of which only the identity is known has some meaning, any set of versions. One that lacks what it
  // returned cannot give its results; the least that is left is what it returned.
  bool holds() {
    least_meanings();
    return holds_with_these_meanings();
  }
  // The definition: tries them all.
  bool holds_with_some_meaning() {
    least_meanings();
    std::set<Version> rows;
    for (const Op op : IdRange<Op>{0, h_.operations()}) {
      if (h_.kind(op) == OpKind::write || h_.kind(op) == OpKind::insert) rows.insert(h_.version(op));
    }
    std::vector<std::pair<std::string, Version>> open;
    for (const auto& [predicate, known] : meanings_) {
      for (const Version v : rows) {
        if (!known.contains(v)) open.emplace_back(predicate, v);
      }
    }
    if (open.size() > 12) throw std::invalid_argument("too many meanings of predicates for brute force");
    const std::map<std::string, std::set<Version>> least = meanings_;
    for (unsigned choice = 0; choice < 1U << open.size(); ++choice) {
      meanings_ = least;
      for (std::size_t i = 0; i < open.size(); ++i) {
        if ((choice >> i & 1U) != 0) meanings_[open[i].first].insert(open[i].second);
      }
      if (holds_with_these_meanings()) return true;
    }
    return false;
  }

 private:
  void least_meanings() {
    for (int t = 0; t < n_; ++t) {
      for (const Op op : ops(t)) {
        if (h_.kind(op) != OpKind::predicate_read || !is_learned(*h_.query(op).predicate)) continue;
        std::set<Version>& meaning = meanings_[to_json(*h_.query(op).predicate)];
        if (status(t) != Status::committed) continue;
        meaning.insert(h_.query(op).results.begin(), h_.query(op).results.end());
      }
    }
  }
  bool holds_with_these_meanings() {
    std::vector<int> unknown;
    for (int t = 0; t < n_; ++t) {
      if (status(t) == Status::unknown) unknown.push_back(t);
    }
    for (unsigned choice = 0; choice < 1U << unknown.size(); ++choice) {
      present_.assign(static_cast<std::size_t>(n_), false);
      for (int t = 0; t < n_; ++t) present_[at(t)] = status(t) == Status::committed;
      for (std::size_t i = 0; i < unknown.size(); ++i) present_[at(unknown[i])] = (choice >> i & 1U) != 0;
      if (implies(level_, Level::serializable) ? runs_serially()
          : implies(level_, Level::prefix)     ? runs_with_snapshots()
                                               : satisfies_axiom()) {
        return true;
      }
    }
    return false;
  }
  static std::size_t at(int t) { return static_cast<std::size_t>(t); }
  Status status(int t) const { return h_.status(Txn{static_cast<std::uint32_t>(t)}); }
  IdRange<Op> ops(int t) const { return h_.operations_of(Txn{static_cast<std::uint32_t>(t)}); }
  bool session_before(int a, int b) const {
    return session_order_ && a < b &&
           h_.session_of(Txn{static_cast<std::uint32_t>(a)}) ==
               h_.session_of(Txn{static_cast<std::uint32_t>(b)});
  }

  void apply(Op op, State& state) const {
    if (writes(h_.kind(op))) {
      state[index(h_.key(op))] = {h_.version(op), h_.kind(op) != OpKind::erase};
    }
  }
  State after(int t, State state) const {
    for (const Op op : ops(t)) apply(op, state);
    return state;
  }

  bool asks_for(Op op, const Query& query, Key k) const {
    if (h_.kind(op) == OpKind::rows_read) {
      return std::any_of(query.results.begin(), query.results.end(),
                         [&](Version v) { return h_.key_of(v) == k; });
    }
    if (!query.predicate) return in_range(h_.name(k), query.low, query.high);
    if (is_learned(*query.predicate)) return true;
    const auto predicate = Predicate::parse(*query.predicate);
    if (!predicate) throw std::invalid_argument("a predicate that brute force does not understand");
    return predicate->allows_key(h_.name(k));
  }
  bool matches(const Query& query, const Cell& cell) const {
    if (!cell.row) return false;
    if (!query.predicate) return true;
    if (is_learned(*query.predicate)) return meanings_.at(to_json(*query.predicate)).contains(cell.version);
    return Predicate::parse(*query.predicate)
        ->matches(h_.name(h_.key_of(cell.version)), h_.value(cell.version));
  }

  // Whether the transaction sees what it saw if it finds this state.
  bool sees(int t, State state) const {
    for (const Op op : ops(t)) {
      const OpKind kind = h_.kind(op);
      if (kind == OpKind::read) {
        if (state[index(h_.key(op))].version != h_.version(op)) return false;
      } else if (is_query(kind)) {
        const Query query = h_.query(op);
        std::set<Version> found;
        for (std::uint32_t k = 0; k < h_.keys(); ++k) {
          if (asks_for(op, query, Key{k}) && matches(query, state[k])) found.insert(state[k].version);
        }
        if (found != std::set<Version>(query.results.begin(), query.results.end())) return false;
      } else {
        apply(op, state);
      }
    }
    return true;
  }

  // --- serializable ---

  bool runs_serially() const {
    std::vector<bool> done(at(n_), false);
    const std::function<bool(const State&)> extend = [&](const State& state) {
      bool all = true;
      for (int t = 0; t < n_; ++t) {
        if (done[at(t)] || !present_[at(t)]) continue;
        all = false;
        bool may = true;
        for (int s = 0; s < t; ++s) may = may && (!present_[at(s)] || done[at(s)] || !session_before(s, t));
        if (!may || (status(t) == Status::committed && !sees(t, state))) continue;
        done[at(t)] = true;
        if (extend(after(t, state))) return true;
        done[at(t)] = false;
      }
      return all;
    };
    return extend(initial_);
  }

  // --- prefix and snapshot isolation ---

  bool write_one_key(int a, int b) const {
    for (const Op x : ops(a)) {
      for (const Op y : ops(b)) {
        if (writes(h_.kind(x)) && writes(h_.kind(y)) && h_.key(x) == h_.key(y)) return true;
      }
    }
    return false;
  }

  bool runs_with_snapshots() const {
    enum class Progress { waiting, running, done };
    std::vector<Progress> progress(at(n_), Progress::waiting);
    const bool exclusive = implies(level_, Level::snapshot_isolation);
    const std::function<bool(const State&)> extend = [&](const State& state) {
      bool all = true;
      for (int t = 0; t < n_; ++t) {
        if (!present_[at(t)] || progress[at(t)] == Progress::done) continue;
        all = false;
        if (progress[at(t)] == Progress::running) {
          progress[at(t)] = Progress::done;
          if (extend(after(t, state))) return true;
          progress[at(t)] = Progress::running;
          continue;
        }
        bool may = true;
        for (int s = 0; s < n_; ++s) {
          if (session_before(s, t) && present_[at(s)] && progress[at(s)] != Progress::done) may = false;
          if (exclusive && progress[at(s)] == Progress::running && write_one_key(s, t)) may = false;
        }
        if (!may || (status(t) == Status::committed && !sees(t, state))) continue;
        progress[at(t)] = Progress::running;
        if (extend(state)) return true;
        progress[at(t)] = Progress::waiting;
      }
      return all;
    };
    return extend(initial_);
  }

  // --- the axioms ---

  struct Read {
    int reader;
    Op op;
    Key key;
    std::vector<int> candidates;
    int source = kInitial;
  };

  bool writes_key(int t, Key k) const {
    for (const Op op : ops(t)) {
      if (writes(h_.kind(op)) && h_.key(op) == k) return true;
    }
    return false;
  }
  Cell left_by(int t, Key k) const {
    return t == kInitial ? initial_[index(k)] : after(t, initial_)[index(k)];
  }

  // False if a read contradicts its own transaction or nobody can have answered it.
  bool collect_reads() {
    reads_.clear();
    for (int t = 0; t < n_; ++t) {
      if (status(t) != Status::committed) continue;
      std::map<Key, Cell> own;
      for (const Op op : ops(t)) {
        const OpKind kind = h_.kind(op);
        const auto saw = [&](Key k, const std::function<bool(const Cell&)>& fits) {
          if (own.contains(k)) return fits(own[k]);
          Read read{t, op, k, {}, kInitial};
          if (fits(left_by(kInitial, k))) read.candidates.push_back(kInitial);
          for (int w = 0; w < n_; ++w) {
            if (w != t && present_[at(w)] && writes_key(w, k) && fits(left_by(w, k))) {
              read.candidates.push_back(w);
            }
          }
          reads_.push_back(read);
          return !read.candidates.empty();
        };
        if (writes(kind)) {
          own[h_.key(op)] = {h_.version(op), kind != OpKind::erase};
        } else if (kind == OpKind::read) {
          if (!saw(h_.key(op), [&](const Cell& c) { return c.version == h_.version(op); })) return false;
        } else {
          const Query query = h_.query(op);
          for (std::uint32_t k = 0; k < h_.keys(); ++k) {
            if (!asks_for(op, query, Key{k})) continue;
            const auto row = std::find_if(query.results.begin(), query.results.end(),
                                          [&](Version v) { return h_.key_of(v) == Key{k}; });
            if (row != query.results.end()) {
              if (!saw(Key{k}, [&](const Cell& c) { return c.version == *row && matches(query, c); }))
                return false;
            } else if (level_ != Level::repeatable_read) {
              if (!saw(Key{k}, [&](const Cell& c) { return !matches(query, c); })) return false;
            }
          }
        }
      }
    }
    return true;
  }

  bool satisfies_axiom() {
    if (!collect_reads()) return false;
    const std::function<bool(std::size_t)> attribute = [&](std::size_t i) {
      if (i == reads_.size()) return some_order();
      for (const int source : reads_[i].candidates) {
        reads_[i].source = source;
        if (attribute(i + 1)) return true;
      }
      return false;
    };
    return attribute(0);
  }

  bool reads_from(int t, int w) const {
    return std::any_of(reads_.begin(), reads_.end(),
                       [&](const Read& r) { return r.reader == t && r.source == w; });
  }

  using Matrix = std::vector<std::vector<bool>>;
  Matrix none() const { return Matrix(at(n_), std::vector<bool>(at(n_), false)); }
  Matrix then(const Matrix& x, const Matrix& y) const {
    Matrix made = none();
    for (int a = 0; a < n_; ++a)
      for (int b = 0; b < n_; ++b)
        for (int c = 0; c < n_; ++c)
          if (x[at(a)][at(b)] && y[at(b)][at(c)]) made[at(a)][at(c)] = true;
    return made;
  }
  Matrix either(Matrix x, const Matrix& y) const {
    for (int a = 0; a < n_; ++a)
      for (int b = 0; b < n_; ++b)
        if (y[at(a)][at(b)]) x[at(a)][at(b)] = true;
    return x;
  }

  // Whom a transaction sees, by session order and reads-from.
  Matrix visible(const Matrix& so, const Matrix& wr) const {
    switch (level_) {
      case Level::read_your_writes:
        return so;
      case Level::monotonic_reads:
        return then(wr, so);
      case Level::monotonic_writes:
        return then(so, wr);
      case Level::writes_follow_reads:
        return either(then(wr, wr), then(then(wr, so), wr));
      case Level::read_atomic:
        return either(so, wr);
      case Level::causal: {
        Matrix causal = either(so, wr);
        for (int i = 0; i < n_; ++i) causal = either(causal, then(causal, causal));
        return causal;
      }
      default:
        return none();
    }
  }

  bool some_order() const {
    if (level_ == Level::repeatable_read) return rows_stay();
    Matrix so = none(), wr = none();
    for (int a = 0; a < n_; ++a) {
      for (int b = 0; b < n_; ++b) {
        if (!present_[at(a)] || !present_[at(b)]) continue;
        so[at(a)][at(b)] = session_before(a, b);
        wr[at(a)][at(b)] = reads_from(b, a);
      }
    }
    const Matrix sees = visible(so, wr);
    std::vector<std::pair<int, int>> before;
    for (int a = 0; a < n_; ++a)
      for (int b = 0; b < n_; ++b)
        if (so[at(a)][at(b)] || wr[at(a)][at(b)]) before.emplace_back(a, b);
    const bool by_operation = level_ == Level::read_committed || level_ == Level::monotonic_atomic_view;
    for (const Read& r : reads_) {
      for (int t2 = 0; t2 < n_; ++t2) {
        if (!present_[at(t2)] || t2 == r.source || !writes_key(t2, r.key)) continue;
        const bool seen = by_operation
                              ? std::any_of(reads_.begin(), reads_.end(),
                                            [&](const Read& e) {
                                              return e.reader == r.reader && e.op < r.op && e.source == t2;
                                            })
                              : sees[at(t2)][at(r.reader)];
        if (!seen) continue;
        if (r.source == kInitial) return false;
        before.emplace_back(t2, r.source);
      }
    }
    // A commit order exists iff nobody has to be before itself.
    std::vector<int> order;
    for (int t = 0; t < n_; ++t) order.push_back(t);
    do {
      std::vector<int> place(at(n_));
      for (int i = 0; i < n_; ++i) place[at(order[at(i)])] = i;
      if (std::all_of(before.begin(), before.end(),
                      [&](const auto& e) { return place[at(e.first)] < place[at(e.second)]; })) {
        return true;
      }
    } while (std::next_permutation(order.begin(), order.end()));
    return false;
  }

  bool rows_stay() const {
    for (const Read& a : reads_) {
      for (const Read& b : reads_) {
        if (a.reader == b.reader && a.key == b.key && a.source != b.source) return false;
      }
    }
    return true;
  }

  const History& h_;
  const Level level_;
  const bool session_order_;
  const int n_;
  State initial_;
  std::map<std::string, std::set<Version>> meanings_;
  std::vector<bool> present_;
  std::vector<Read> reads_;
};

}  // namespace

bool brute_force_with_queries(const History& history, Level level, bool session_order) {
  return Judge(history, level, session_order).holds();
}

bool brute_force_with_some_meaning(const History& history, Level level) {
  return Judge(history, level, true).holds_with_some_meaning();
}

}  // namespace assay
