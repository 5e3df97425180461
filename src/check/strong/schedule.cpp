#include "check/strong/schedule.hpp"

#include <algorithm>
#include <queue>

namespace assay::check {

namespace {

constexpr std::uint32_t kNone = 0xFFFFFFFFU;

class Scheduler {
 public:
  Scheduler(const Problem& problem, Limits& limits, std::span<const Node> by)
      : p_(problem),
        limits_(limits),
        reads_(problem.reads),
        missing_(p_.nodes()),
        priority_(reads_.transactions()),
        state_(reads_.transactions(), State::waiting),
        current_(reads_.keys()),
        pending_(reads_.writes()),
        waiters_(reads_.writes(), kNone) {
    for (std::uint32_t k = 0; k < reads_.keys(); ++k) current_[k] = reads_.initial_write(Key{k});
    for (std::uint32_t w = 0; w < reads_.writes(); ++w) {
      pending_[w] = static_cast<std::uint32_t>(p_.readers(Write{w}).size());
    }
    if (p_.level.writers_exclude) locked_.assign(reads_.keys(), kNone);
    prepare_candidates();
    by.empty() ? set_priorities() : set_priorities(by);
  }

  Schedule run() {
    Schedule result;
    order_.reserve(p_.nodes());
    for (Node u = 0; u < p_.nodes(); ++u) {
      missing_[u] = static_cast<std::uint32_t>(p_.before()[u].size());
    }
    for (Node u = 0; u < p_.nodes(); ++u) {
      if (p_.before()[u].empty()) release(u);
    }
    while (true) {
      while (!ready_.empty()) {
        const Txn t = pop(ready_);
        if (state_[index(t)] == State::ready) attempt(t);
        if (limits_.exceeded()) return result;
      }
      if (order_.size() == p_.nodes()) break;
      if (begin_one()) continue;
      if (!force_one()) {
        result.known_cycle = true;
        break;
      }
      ++result.forced;
    }
    result.order = std::move(order_);
    return result;
  }

 private:
  enum class State : std::uint8_t {
    waiting,  // for what is known to precede it
    ready,    // in ready_
    blocked,  // by a reader to come, a lock, or a value that is not there yet; in blocked_
    done,
  };
  using Heap = std::priority_queue<std::pair<float, std::uint32_t>,
                                   std::vector<std::pair<float, std::uint32_t>>, std::greater<>>;

  static Txn pop(Heap& heap) {
    const Txn t{heap.top().second};
    heap.pop();
    return t;
  }
  void push(Heap& heap, Txn t) { heap.emplace(priority_[index(t)], index(t)); }

  void set_priorities(std::span<const Node> by) {
    for (std::size_t i = 0; i < by.size(); ++i) {
      if (p_.is_event(by[i]) && p_.is_commit(by[i]))
        priority_[index(p_.txn_of(by[i]))] = static_cast<float>(i);
    }
  }

  // By time where there is one, else by how far into its session a transaction is: sessions run side by side.
  void set_priorities() {
    const History& h = p_.history;
    if (h.has_times()) {
      std::vector<std::pair<std::int64_t, std::uint32_t>> by_time;
      std::int64_t last = 0;
      for (const Txn t : h.all_transactions()) {
        last = h.end(t).value_or(h.start(t).value_or(last));
        by_time.emplace_back(last, index(t));
      }
      std::sort(by_time.begin(), by_time.end());
      for (std::size_t i = 0; i < by_time.size(); ++i) priority_[by_time[i].second] = static_cast<float>(i);
      return;
    }
    for (const Txn t : h.all_transactions()) {
      const auto length = static_cast<float>(h.transactions_of(h.session_of(t)).size());
      priority_[index(t)] = (static_cast<float>(h.position_in_session(t)) + 0.5F) / length;
    }
  }

  // For each candidate set: how many of its writes are still to come, and how many of its readers.
  void prepare_candidates() {
    const std::uint32_t sets = reads_.ambiguous_sets();
    if (sets == 0) return;
    writes_to_come_.resize(sets);
    readers_to_come_.assign(sets, 0);
    sets_begin_.assign(reads_.writes() + std::size_t{1}, 0);
    for (std::uint32_t s = 0; s < sets; ++s) {
      for (const Write w : reads_.candidates(s)) ++sets_begin_[index(w) + 1];
    }
    for (std::uint32_t w = 0; w < reads_.writes(); ++w) sets_begin_[w + 1] += sets_begin_[w];
    sets_of_.resize(sets_begin_.back());
    std::vector<std::uint32_t> next(sets_begin_.begin(), sets_begin_.end() - 1);
    for (std::uint32_t s = 0; s < sets; ++s) {
      writes_to_come_[s] = static_cast<std::uint32_t>(reads_.candidates(s).size());
      for (const Write w : reads_.candidates(s)) {
        sets_of_[next[index(w)]++] = s;
        if (reads_.is_initial(w)) --writes_to_come_[s];
      }
    }
    for (const Problem::AmbiguousRead& read : p_.ambiguous_reads()) {
      if (read.set < sets) ++readers_to_come_[read.set];  // reads that were added are left to the search
    }
  }

  // Everything that precedes this node is done.
  void release(Node u) {
    if (!p_.is_event(u)) {
      points_.push_back(u);
    } else if (p_.is_begin(u) || state_[index(p_.txn_of(u))] == State::blocked) {
      make_ready(p_.txn_of(u));
    }
  }

  void make_ready(Txn t) {
    state_[index(t)] = State::ready;
    push(ready_, t);
  }

  void finish(Node u) {
    finish_one(u);
    // Points in time happen by themselves; a chain of them must not become a chain of calls.
    while (!points_.empty()) {
      const Node point = points_.back();
      points_.pop_back();
      finish_one(point);
    }
  }

  void finish_one(Node u) {
    order_.push_back(u);
    for (const Node v : p_.after()[u]) {
      // A commit's own begin is counted too: with only that missing, the transaction can run whole.
      const bool commit = p_.level.two_events && p_.is_event(v) && p_.is_commit(v);
      if (--missing_[v] == 0 || (commit && missing_[v] == 1)) release(v);
    }
  }

  // What keeps t from running: a write whose readers must come first, or a key (as its current write).
  std::uint32_t obstacle_to_begin(Txn t) const {
    for (const Source source : reads_.reads_of(t)) {
      if (!source.is_ambiguous()) continue;
      const Write current = current_[index(reads_.key(source))];
      if (!is_candidate(source.set(), current) && writes_to_come_[source.set()] > 0) return index(current);
    }
    return kNone;
  }

  std::uint32_t obstacle_to_commit(Txn t, bool begun) {
    for (const Write w : reads_.writes_of(t)) {
      const std::uint32_t k = index(reads_.key(w));
      const Write current = current_[k];
      if (p_.level.writers_exclude && locked_[k] != kNone && locked_[k] != index(t)) return index(current);
      std::uint32_t readers = pending_[index(current)];
      if (readers > 0 && !begun && reads_source(t, Source::of(current))) --readers;
      if (readers > 0) return index(current);
      if (sets_begin_.empty()) continue;
      for (std::uint32_t i = sets_begin_[index(current)]; i < sets_begin_[index(current) + 1]; ++i) {
        const std::uint32_t set = sets_of_[i];
        if (writes_to_come_[set] > 0) continue;
        std::uint32_t more = readers_to_come_[set];
        if (more > 0 && !begun && reads_source(t, Source::ambiguous(set))) --more;
        if (more > 0) return index(current);
      }
    }
    return kNone;
  }

  bool is_candidate(std::uint32_t set, Write w) const {
    const auto candidates = reads_.candidates(set);
    return std::binary_search(candidates.begin(), candidates.end(), w);
  }
  // What t reads, each once, sorted; kept until another transaction is asked for.
  const std::vector<Source>& sources_of(Txn t) {
    if (sources_owner_ != t) {
      sources_owner_ = t;
      sources_.assign(reads_.reads_of(t).begin(), reads_.reads_of(t).end());
      std::sort(sources_.begin(), sources_.end());
      sources_.erase(std::unique(sources_.begin(), sources_.end()), sources_.end());
    }
    return sources_;
  }
  bool reads_source(Txn t, Source source) {
    const std::vector<Source>& sources = sources_of(t);
    return std::binary_search(sources.begin(), sources.end(), source);
  }
  bool has_begun(Txn t) const { return !begun_.empty() && begun_[index(t)]; }

  bool commit_is_released(Txn t, bool begun) const {
    if (!p_.level.two_events) return true;
    return missing_[p_.commit_of(t)] <= (begun ? 0U : 1U);
  }

  void attempt(Txn t) {
    const bool begun = has_begun(t);
    if (!commit_is_released(t, begun)) {
      // Its commit follows others' in a version order; release() wakes it.
      state_[index(t)] = State::blocked;
      push(unreleased_, t);
      return;
    }
    std::uint32_t obstacle = begun ? kNone : obstacle_to_begin(t);
    if (obstacle == kNone) obstacle = obstacle_to_commit(t, begun);
    if (obstacle == kNone) {
      if (!begun) begin(t);
      commit(t);
    } else {
      block(t, obstacle);
    }
  }

  void block(Txn t, std::uint32_t obstacle) {
    state_[index(t)] = State::blocked;
    push(blocked_, t);
    std::uint32_t slot = free_waiter_;
    if (slot == kNone) {
      slot = static_cast<std::uint32_t>(waiter_pool_.size());
      waiter_pool_.emplace_back();
    } else {
      free_waiter_ = waiter_pool_[slot].next;
    }
    waiter_pool_[slot] = {index(t), waiters_[obstacle]};
    waiters_[obstacle] = slot;
  }

  void wake(Write w) {
    std::uint32_t slot = waiters_[index(w)];
    waiters_[index(w)] = kNone;
    while (slot != kNone) {
      const auto [t, next] = waiter_pool_[slot];
      waiter_pool_[slot].next = free_waiter_;
      free_waiter_ = slot;
      if (state_[t] == State::blocked) make_ready(Txn{t});
      slot = next;
    }
  }

  void begin(Txn t) {
    for (const Source source : sources_of(t)) {
      if (source.is_ambiguous()) {
        if (--readers_to_come_[source.set()] <= 1) wake(current_[index(reads_.key(source))]);
      } else if (--pending_[index(source.write())] <= 1) {
        wake(source.write());
      }
    }
    if (p_.level.two_events) {
      if (begun_.empty()) begun_.assign(reads_.transactions(), false);
      begun_[index(t)] = true;
      if (p_.level.writers_exclude) {
        for (const Write w : reads_.writes_of(t)) locked_[index(reads_.key(w))] = index(t);
      }
      finish(p_.begin_of(t));
    }
  }

  void commit(Txn t) {
    state_[index(t)] = State::done;
    for (const Write w : reads_.writes_of(t)) {
      const std::uint32_t k = index(reads_.key(w));
      const Write old = current_[k];
      current_[k] = w;
      if (!locked_.empty() && locked_[k] == index(t)) locked_[k] = kNone;
      if (!sets_begin_.empty()) {
        for (std::uint32_t i = sets_begin_[index(w)]; i < sets_begin_[index(w) + 1]; ++i)
          --writes_to_come_[sets_of_[i]];
      }
      wake(old);
    }
    finish(p_.commit_of(t));
  }

  // Where begin and commit are separate: lets a blocked transaction that can begin do so. Its reads are then
  // behind it, which may be what others wait for. Looks at the first few only: with very many blocked,
  // looking at all of them each time would be quadratic.
  bool begin_one() {
    if (!p_.level.two_events) return false;
    looked_at_.clear();
    bool found = false;
    while (!found && !blocked_.empty() && looked_at_.size() < kMostLooks) {
      const Txn t = pop(blocked_);
      if (state_[index(t)] != State::blocked) continue;
      looked_at_.push_back(t);
      // Beginning helps nobody if it reads nothing that others wait to overwrite.
      if (has_begun(t) || reads_.reads_of(t).empty()) continue;
      if (obstacle_to_begin(t) != kNone || locked_by_other(t)) continue;
      begin(t);
      found = true;
    }
    for (const Txn t : looked_at_) push(blocked_, t);
    return found;
  }

  bool locked_by_other(Txn t) const {
    if (locked_.empty()) return false;
    return std::any_of(reads_.writes_of(t).begin(), reads_.writes_of(t).end(), [&](Write w) {
      const std::uint32_t owner = locked_[index(reads_.key(w))];
      return owner != kNone && owner != index(t);
    });
  }

  // Runs the first blocked transaction regardless; or, if all wait for a version order only, lets one begin,
  // so that the known order can go on. Returns false if there is none: then the known order is cyclic.
  bool force_one() {
    while (!blocked_.empty()) {
      const Txn t = pop(blocked_);
      if (state_[index(t)] != State::blocked) continue;
      if (!has_begun(t)) begin(t);
      commit(t);
      return true;
    }
    while (!unreleased_.empty()) {
      const Txn t = pop(unreleased_);
      if (state_[index(t)] != State::blocked || has_begun(t)) continue;
      begin(t);
      return true;
    }
    return false;
  }

  static constexpr std::size_t kMostLooks = 32;

  const Problem& p_;
  Limits& limits_;
  const Reads& reads_;
  std::vector<std::uint32_t> missing_;  // node -> known predecessors still to come
  std::vector<float> priority_;
  std::vector<State> state_;
  std::vector<bool> begun_;
  std::vector<Write> current_;          // key -> the write that a read would see now
  LargeVector<std::uint32_t> pending_;  // write -> readers still to come
  std::vector<std::uint32_t> locked_;   // key -> the transaction that began and will write it
  struct Waiter {
    std::uint32_t txn = 0, next = kNone;
  };
  LargeVector<std::uint32_t>
      waiters_;  // write -> first of those that wait for its readers, or for it to be overwritten
  std::vector<Waiter> waiter_pool_;
  std::uint32_t free_waiter_ = kNone;
  std::vector<std::uint32_t> writes_to_come_, readers_to_come_;  // per candidate set
  std::vector<std::uint32_t> sets_begin_, sets_of_;              // write -> candidate sets it is in
  Heap ready_, blocked_, unreleased_;
  std::vector<Txn> looked_at_;
  std::vector<Node> points_;
  std::vector<Source> sources_;
  Txn sources_owner_ = kInitialTxn;
  std::vector<Node> order_;
};

}  // namespace

Schedule run_greedily(const Problem& problem, Limits& limits, std::span<const Node> by) {
  return Scheduler(problem, limits, by).run();
}

}  // namespace assay::check
