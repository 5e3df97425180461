#include "support/judge/brute_force.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <stdexcept>
#include <string>
#include <unordered_set>
#include <vector>

#include "support/judge/brute_force_facts.hpp"

namespace assay {

namespace {

using namespace brute;  // NOLINT(google-build-using-namespace): its facts are all that this file speaks of

// Calls try_it(present) for each set of transactions that may have committed, until it returns true.
template <class Try>
bool for_some_fate(const Facts& f, Try try_it) {
  for (Mask chosen = f.unknown;; chosen = (chosen - 1) & f.unknown) {
    if (try_it(f.committed | chosen)) return true;
    if (chosen == 0) return false;
  }
}

template <class Number>
void put(std::string& memory, Number number) {
  memory.append(reinterpret_cast<const char*>(&number), sizeof number);
}

// The contents of all list keys.
class Lists {
 public:
  explicit Lists(const Facts& f) : f_(f), state_(static_cast<std::size_t>(f.has_lists ? f.keys : 0)) {}

  bool is(int key, const List& list) const { return state_[static_cast<std::size_t>(key)] == list; }
  void append(int t) {
    for (std::size_t k = 0; k < state_.size(); ++k) {
      const List& more = f_.appends[static_cast<std::size_t>(t)][k];
      state_[k].insert(state_[k].end(), more.begin(), more.end());
    }
  }
  void take_back(int t) {
    for (std::size_t k = 0; k < state_.size(); ++k) {
      state_[k].resize(state_[k].size() - f_.appends[static_cast<std::size_t>(t)][k].size());
    }
  }
  void remember(std::string& memory) const {
    for (const List& list : state_) {
      put(memory, static_cast<std::uint8_t>(list.size()));
      for (const Version v : list) put(memory, static_cast<std::uint8_t>(index(v)));
    }
  }

 private:
  const Facts& f_;
  std::vector<List> state_;
};

// Looks for a commit order, given who committed and who wrote what was read. Built from its beginning, with
// the axioms that speak of co tested as far as they concern what is already ordered.
class OrderSearch {
 public:
  OrderSearch(const Facts& f, Level level, Mask present, const std::vector<int>& sources,
              const std::vector<int>* only)
      : f_(f),
        level_(level),
        present_(present),
        sources_(sources),
        only_(only),
        before_(static_cast<std::size_t>(f.transactions), 0),
        observed_(before_),
        last_(static_cast<std::size_t>(f.keys), kInitial),
        lists_(f) {}

  bool exists() {
    const bool real_time = level_ == Level::strict_serializable || level_ == Level::strong_snapshot_isolation;
    for (int t = 0; t < f_.transactions; ++t) {
      Mask& seen = observed_[at(t)];
      seen = f_.session_before[at(t)];
      if (real_time) seen |= f_.time_before[at(t)];
      seen &= present_;
    }
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      if (sources_[i] != kInitial) observed_[at(f_.reads[i].reader)] |= bit(sources_[i]);
    }
    before_ = observed_;
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      for (int t2 = 0; t2 < f_.transactions; ++t2) {
        if (!in(t2, present_) || t2 == sources_[i] || !writes_key(f_, t2, f_.reads[i].key)) continue;
        if (!phi(t2, i)) continue;
        if (sources_[i] == kInitial) return false;
        before_[at(sources_[i])] |= bit(t2);
      }
    }
    return extend(0);
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  bool session(int a, int b) const { return in(a, f_.session_before[at(b)]); }
  bool reads_from(int a, int b) const {
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      if (f_.reads[i].reader == b && sources_[i] == a) return true;
    }
    return false;
  }
  template <class Holds>
  bool some(Holds holds) const {
    for (int t = 0; t < f_.transactions; ++t) {
      if (in(t, present_) && holds(t)) return true;
    }
    return false;
  }

  // The axioms that do not speak of co: is t2 visible to the i-th read?
  bool phi(int t2, std::size_t i) const {
    const int t3 = f_.reads[i].reader;
    switch (level_) {
      case Level::read_committed:
      case Level::monotonic_atomic_view:
        for (std::size_t j = 0; j < i; ++j) {
          if (f_.reads[j].reader == t3 && sources_[j] == t2) return true;
        }
        return false;
      case Level::read_atomic:
        return session(t2, t3) || reads_from(t2, t3);
      case Level::causal:
        return causally_before(t2, t3);
      case Level::read_your_writes:
        return session(t2, t3);
      case Level::monotonic_reads:
        return some([&](int t) { return reads_from(t2, t) && session(t, t3); });
      case Level::monotonic_writes:
        return some([&](int t) { return session(t2, t) && reads_from(t, t3); });
      case Level::writes_follow_reads:
        return some([&](int t) {
          return reads_from(t, t3) &&
                 some([&](int u) { return reads_from(t2, u) && (u == t || session(u, t)); });
        });
      default:
        return false;
    }
  }

  bool causally_before(int a, int b) const {
    Mask reached = observed_[at(b)];
    for (Mask before = 0; before != reached;) {
      before = reached;
      for (int t = 0; t < f_.transactions; ++t) {
        if (in(t, before)) reached |= observed_[at(t)];
      }
    }
    return in(a, reached);
  }

  bool is_serializable() const {
    return level_ == Level::serializable || level_ == Level::strict_serializable;
  }
  bool is_snapshot_isolation() const {
    return level_ == Level::snapshot_isolation || level_ == Level::strong_snapshot_isolation;
  }
  bool is_prefix() const { return level_ == Level::prefix || is_snapshot_isolation(); }

  // Whether the i-th read's version was overwritten by somebody who is already ordered.
  bool stale(std::size_t i, Mask ordered) const {
    const int source = sources_[i];
    return (source == kInitial || in(source, ordered)) && last_[at(f_.reads[i].key)] != source;
  }

  // `t` has just become the last of `ordered`: does anything that the level says about the order up to here
  // fail? The axioms demand t2 -co-> t1, so a read fails if t1 is before the last such t2.
  bool fails(int t, Mask ordered) const {
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      const ExternalRead& r = f_.reads[i];
      if (r.is_list && !r.after_own && sources_[i] == t && !lists_.is(r.key, r.list)) return true;
      const int t3 = r.reader;
      if (in(t3, ordered)) continue;
      // Here t is the t4 of the axioms: t2 -co*-> t, and t is visible to t3.
      // Prefix: t -(so u wr)-> t3. Conflict: t -co-> t3, which is so, and both write some key.
      if (is_prefix() && in(t, observed_[at(t3)]) && stale(i, ordered)) return true;
      if (is_snapshot_isolation() && conflict(f_, t, t3) && stale(i, ordered)) return true;
    }
    return false;
  }

  bool may_come_next(int t, Mask ordered) const {
    if (!in(t, present_) || in(t, ordered) || (before_[at(t)] & ~ordered) != 0) return false;
    if (only_ != nullptr && (*only_)[static_cast<std::size_t>(std::popcount(ordered))] != t) return false;
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      const ExternalRead& r = f_.reads[i];
      if (r.reader != t) continue;
      if (r.is_list && r.after_own && !lists_.is(r.key, r.list)) return false;
      // Serializability: t2 -co-> t3 for all that are ordered.
      if (is_serializable() && stale(i, ordered)) return false;
    }
    return true;
  }

  bool extend(Mask ordered) {
    if (ordered == present_) return true;
    // What can follow depends only on what is ordered, the last writer of each key and the lists.
    std::string memory;
    put(memory, static_cast<std::uint16_t>(ordered));
    if (is_serializable() || is_prefix()) {
      for (const int t : last_) put(memory, static_cast<std::int8_t>(t));
    }
    lists_.remember(memory);
    if (!failed_.insert(std::move(memory)).second) return false;
    for (int t = 0; t < f_.transactions; ++t) {
      if (!may_come_next(t, ordered)) continue;
      const std::vector<int> last = last_;
      for (int k = 0; k < f_.keys; ++k) {
        if (writes_key(f_, t, k)) last_[at(k)] = t;
      }
      lists_.append(t);
      if (!fails(t, ordered | bit(t)) && extend(ordered | bit(t))) return true;
      lists_.take_back(t);
      last_ = last;
    }
    return false;
  }

  const Facts& f_;
  Level level_;
  Mask present_;
  const std::vector<int>& sources_;
  const std::vector<int>* only_;  // if set, the one order to try
  std::vector<Mask> before_;      // [t]: who must commit before t
  std::vector<Mask> observed_;    // [t]: its predecessors in so, wr and, where the level has it, real time
  std::vector<int> last_;         // [key]: the last writer so far
  Lists lists_;
  std::unordered_set<std::string> failed_;
};

// Whether the appends to one key have an order in which every list read of it is right.
bool list_has_an_order(const Facts& f, int key, Mask appenders, Lists& lists, Mask ordered = 0) {
  if (ordered == appenders) return true;
  for (int t = 0; t < f.transactions; ++t) {
    if (!in(t, appenders) || in(t, ordered)) continue;
    const auto right = [&](bool after_own, int who) {
      return std::all_of(f.reads.begin(), f.reads.end(), [&](const ExternalRead& r) {
        if (!r.is_list || r.key != key || r.after_own != after_own) return true;
        const bool concerned =
            after_own ? r.reader == who
                      : std::find(r.candidates.begin(), r.candidates.end(), who) != r.candidates.end();
        return !concerned || lists.is(key, r.list);
      });
    };
    if (!right(true, t)) continue;
    lists.append(t);
    const bool found = right(false, t) && list_has_an_order(f, key, appenders, lists, ordered | bit(t));
    lists.take_back(t);
    if (found) return true;
  }
  return false;
}

bool repeatable(const Facts& f, Mask present, const std::vector<int>& sources) {
  std::map<std::pair<int, int>, int> seen;  // (reader, key) -> source
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const ExternalRead& r = f.reads[i];
    if (seen.emplace(std::pair(r.reader, r.key), sources[i]).first->second != sources[i]) return false;
  }
  if (!f.has_lists) return true;
  Lists lists(f);
  for (int k = 0; k < f.keys; ++k) {
    if (!list_has_an_order(f, k, f.writers[static_cast<std::size_t>(k)] & present, lists)) return false;
  }
  return true;
}

// Tries every writer for every read. Each condition only gets harder with more reads, so a choice that fails
// for the reads so far is not continued.
bool attribute(const Facts& f, Level level, Mask present, std::vector<int>& sources,
               const std::vector<int>* only = nullptr) {
  std::vector<int> open;
  while (sources.size() < f.reads.size()) {
    open.clear();
    for (const int c : f.reads[sources.size()].candidates) {
      if (c == kInitial || in(c, present)) open.push_back(c);
    }
    if (open.empty()) return false;
    if (open.size() > 1) break;
    sources.push_back(open.front());
  }
  const bool holds = level == Level::repeatable_read ? repeatable(f, present, sources)
                                                     : OrderSearch(f, level, present, sources, only).exists();
  if (!holds || sources.size() == f.reads.size()) return holds;
  const std::size_t so_far = sources.size();
  return std::any_of(open.begin(), open.end(), [&](int c) {
    sources.resize(so_far);
    sources.push_back(c);
    return attribute(f, level, present, sources, only);
  });
}

// Looks for a run of the history.
class RunSearch {
 public:
  RunSearch(const Facts& f, Level level, Mask present, const History& h)
      : f_(f), level_(level), present_(present), lists_(f) {
    for (std::uint32_t k = 0; k < h.keys(); ++k) current_.push_back(h.initial_version(Key{k}));
  }

  bool exists() { return run(0, 0); }

  bool accepts(std::span<const check::Event> order) {
    Mask begun = 0, committed = 0;
    for (const check::Event& event : order) {
      const int t = static_cast<int>(index(event.txn));
      if (event.side == check::Event::Side::begin) {
        if (in(t, begun) || !can_begin(t, begun, committed)) return false;
        begun |= bit(t);
      } else {
        if (!in(t, begun & ~committed) || !reads_right(t, true)) return false;
        committed |= bit(t);
        install(t);
      }
    }
    return committed == present_ && begun == present_;
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  bool serial() const { return level_ == Level::serializable || level_ == Level::strict_serializable; }
  bool first_committer_wins() const { return level_ != Level::prefix && !serial(); }
  bool real_time() const {
    return level_ == Level::strict_serializable || level_ == Level::strong_snapshot_isolation;
  }

  bool can_begin(int t, Mask begun, Mask committed) const {
    Mask before = f_.session_before[at(t)];
    if (real_time()) before |= f_.time_before[at(t)];
    if ((before & present_ & ~committed) != 0) return false;
    for (int other = 0; other < f_.transactions && first_committer_wins(); ++other) {
      if (in(other, begun & ~committed) && conflict(f_, other, t)) return false;
    }
    return reads_right(t, false);
  }

  bool reads_right(int t, bool only_after_own) const {
    return std::all_of(f_.reads.begin(), f_.reads.end(), [&](const ExternalRead& r) {
      if (r.reader != t || (only_after_own && !r.after_own)) return true;
      return r.is_list ? lists_.is(r.key, r.list) : current_[at(r.key)] == r.seen;
    });
  }

  bool run(Mask begun, Mask committed) {
    if (committed == present_) return true;
    std::string memory;
    put(memory, static_cast<std::uint16_t>(begun));
    put(memory, static_cast<std::uint16_t>(committed));
    for (const Version v : current_) put(memory, static_cast<std::uint8_t>(index(v)));
    lists_.remember(memory);
    if (!failed_.insert(std::move(memory)).second) return false;
    for (int t = 0; t < f_.transactions; ++t) {
      if (!in(t, present_) || in(t, committed)) continue;
      if (!in(t, begun)) {
        if (!can_begin(t, begun, committed)) continue;
        if (serial() ? commit(t, begun | bit(t), committed) : run(begun | bit(t), committed)) return true;
      } else if (commit(t, begun, committed)) {
        return true;
      }
    }
    return false;
  }

  bool commit(int t, Mask begun, Mask committed) {
    if (!reads_right(t, true)) return false;
    const std::vector<Version> before = current_;
    install(t);
    if (run(begun, committed | bit(t))) return true;
    lists_.take_back(t);
    current_ = before;
    return false;
  }

  void install(int t) {
    for (int k = 0; k < f_.keys; ++k) {
      if (writes_key(f_, t, k)) current_[at(k)] = f_.final_write[at(t)][at(k)];
    }
    lists_.append(t);
  }

  const Facts& f_;
  Level level_;
  Mask present_;
  std::vector<Version> current_;  // [key], registers
  Lists lists_;
  std::unordered_set<std::string> failed_;
};

}  // namespace

bool brute_force(const History& history, Level level, Reading reading) {
  const Facts f = find_facts(history, reading);
  if (!f.possible) return false;
  return for_some_fate(f, [&](Mask present) {
    std::vector<int> sources;
    return attribute(f, level, present, sources);
  });
}

bool brute_force_by_running(const History& history, Level level, Reading reading) {
  const Facts f = find_facts(history, reading);
  if (!f.possible) return false;
  return for_some_fate(f, [&](Mask present) { return RunSearch(f, level, present, history).exists(); });
}

bool brute_force_accepts(const History& history, Level level, Reading reading,
                         std::span<const check::Event> order) {
  const Facts f = find_facts(history, reading);
  if (!f.possible) return false;
  const bool run = level == Level::prefix || level == Level::snapshot_isolation ||
                   level == Level::strong_snapshot_isolation;
  Mask present = 0;
  std::vector<int> commits;
  for (const check::Event& event : order) {
    if (event.side == check::Event::Side::begin) {
      if (run) continue;
      return false;
    }
    const int t = static_cast<int>(index(event.txn));
    if (t >= f.transactions || in(t, present)) return false;
    present |= bit(t);
    commits.push_back(t);
  }
  if ((present & ~(f.committed | f.unknown)) != 0 || (f.committed & ~present) != 0) return false;
  if (run) return RunSearch(f, level, present, history).accepts(order);
  std::vector<int> sources;
  return attribute(f, level, present, sources, &commits);
}

}  // namespace assay
