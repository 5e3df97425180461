#include "evidence/replay.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "evidence/axioms.hpp"
#include "evidence/operations.hpp"
#include "evidence/query_reads.hpp"

namespace assay::evidence {

namespace {

using check::Event;

std::string name(const History& h, Txn t) {
  return "transaction " + to_string(h.name(t)) + " of session " + to_string(h.name(h.session_of(t)));
}

// Runs the events one after the other.
class Run {
 public:
  Run(const History& h, Level level, bool keep_sessions, std::chrono::nanoseconds drift,
      Operations& operations)
      : h_(h),
        operations_(operations),
        one_event_(implies(level, Level::serializable)),
        disjoint_(!one_event_ && implies(level, Level::snapshot_isolation)),
        real_time_(info(level).real_time),
        keep_sessions_(keep_sessions),
        drift_(drift),
        progress_(h.transactions(), Progress::waiting),
        last_of_session_(h.sessions(), kInitialTxn),
        lists_(h.keys()),
        locked_(h.keys(), false) {
    for (std::uint32_t k = 0; k < h.keys(); ++k) current_.push_back(h.initial_version(Key{k}));
  }

  std::optional<std::string> run(std::span<const Event> order) {
    for (const Event& event : order) {
      if (auto wrong = step(event)) return wrong;
    }
    for (const Txn t : h_.all_transactions()) {
      if (progress_[index(t)] == Progress::running) return name(h_, t) + " begins but does not commit";
      if (progress_[index(t)] == Progress::waiting && h_.status(t) == Status::committed) {
        return name(h_, t) + " committed but is not in the order";
      }
    }
    return std::nullopt;
  }

 private:
  enum class Progress : std::uint8_t { waiting, running, done };

  std::optional<std::string> step(const Event& event) {
    const Txn t = event.txn;
    if (index(t) >= h_.transactions()) return "the order names a transaction that does not exist";
    if (h_.status(t) == Status::aborted) return name(h_, t) + " aborted but is in the order";
    const bool begins = one_event_ || event.side == Event::Side::begin;
    const bool commits = event.side == Event::Side::commit;
    const Progress expected = begins ? Progress::waiting : Progress::running;
    if (progress_[index(t)] != expected || (one_event_ && !commits)) {
      return name(h_, t) + (commits ? " commits" : " begins") + " where it cannot";
    }
    if (begins) {
      if (auto wrong = begin(t)) return wrong;
    }
    if (commits) {
      if (auto wrong = commit(t)) return wrong;
    }
    progress_[index(t)] = commits ? Progress::done : Progress::running;
    return std::nullopt;
  }

  std::optional<std::string> begin(Txn t) {
    if (keep_sessions_) {
      // Transactions are numbered in session order.
      Txn& last = last_of_session_[index(h_.session_of(t))];
      if (last != kInitialTxn && (last > t || progress_[index(last)] != Progress::done)) {
        return name(h_, t) + " is not after " + name(h_, last) + ", against session order";
      }
      last = t;
    }
    if (const auto start = h_.start(t); real_time_ && start && (!latest_start_ || *latest_start_ < *start)) {
      latest_start_ = start;
      latest_starter_ = t;
    }
    if (h_.status(t) == Status::committed) {
      if (const auto wrong = operations_.outside_reads(t, reads_)) {
        return read(t, *wrong) + " does not see the transaction's own write";
      }
      for (const OutsideRead& r : reads_) {
        if (!sees_what_is_there(r)) return read(t, r.op) + " does not see what was there";
      }
    }
    if (disjoint_) {
      for (const Op op : h_.operations_of(t)) {
        if (writes(h_.kind(op)) && locked_[index(h_.key(op))]) {
          return name(h_, t) + " overlaps another writer of key " + to_string(h_.name(h_.key(op)));
        }
      }
      lock(t, true);
    }
    return std::nullopt;
  }

  bool sees_what_is_there(const OutsideRead& r) const {
    if (!r.is_list) return h_.covers(r.seen, current_[index(r.key)]);
    const std::vector<Version>& list = lists_[index(r.key)];
    return std::equal(list.begin(), list.end(), r.list.begin(), r.list.end());
  }

  std::optional<std::string> commit(Txn t) {
    if (!one_event_ && h_.status(t) == Status::committed && h_.has(OpKind::append)) {
      // What a transaction appends stands where it saw it: right behind what it had read.
      operations_.outside_reads(t, reads_);
      for (const OutsideRead& r : reads_) {
        if (r.after_own && !sees_what_is_there(r)) {
          return read(t, r.op) + " shows its own appends where they did not come to stand";
        }
      }
    }
    // The end of a transaction of unknown fate is when its client gave up, not when it took effect.
    const auto end = h_.status(t) == Status::committed ? h_.end(t) : std::nullopt;
    if (real_time_ && end && latest_start_ && *end < *latest_start_) {
      const std::uint64_t apart =
          static_cast<std::uint64_t>(*latest_start_) - static_cast<std::uint64_t>(*end);
      if (drift_.count() < 0 || apart > static_cast<std::uint64_t>(drift_.count())) {
        return name(h_, latest_starter_) + " started after " + name(h_, t) +
               " had ended, but is not after it";
      }
    }
    operations_.for_each_final_write(t, [&](Key k, Version v) { current_[index(k)] = v; });
    if (h_.has(OpKind::append)) {
      for (const Op op : h_.operations_of(t)) {
        if (h_.kind(op) == OpKind::append) lists_[index(h_.key(op))].push_back(h_.version(op));
      }
    }
    if (disjoint_) lock(t, false);
    return std::nullopt;
  }

  void lock(Txn t, bool locked) {
    for (const Op op : h_.operations_of(t)) {
      if (writes(h_.kind(op))) locked_[index(h_.key(op))] = locked;
    }
  }

  std::string read(Txn t, Op op) const {
    const Key k = h_.kind(op) == OpKind::list_read ? h_.list(op).key : h_.key(op);
    return "a read of key " + to_string(h_.name(k)) + " in " + name(h_, t);
  }

  const History& h_;
  Operations& operations_;
  bool one_event_, disjoint_, real_time_, keep_sessions_;
  std::chrono::nanoseconds drift_;
  std::vector<Progress> progress_;
  std::vector<Txn> last_of_session_;  // the last that began
  std::vector<Version> current_;      // per key: what a register holds
  std::vector<std::vector<Version>> lists_;
  std::vector<bool> locked_;  // per key: a writer of it is running
  std::optional<std::int64_t> latest_start_;
  Txn latest_starter_ = kInitialTxn;
  std::vector<OutsideRead> reads_;
};

}  // namespace

std::optional<std::string> replay(const History& history, Level level, bool keep_sessions,
                                  std::chrono::nanoseconds drift, std::span<const check::Event> order) {
  if (has_queries(history)) {
    return replay(take_queries_apart(history, level).history, level, keep_sessions, drift, order);
  }
  Operations operations(history);
  if (!operations.not_understood().empty()) return operations.not_understood();
  if (!implies(level, Level::prefix)) return check_axiom(history, level, keep_sessions, order, operations);
  if (info(level).real_time && !history.has_times()) return "the history has no times";
  return Run(history, level, keep_sessions, drift, operations).run(order);
}

}  // namespace assay::evidence
