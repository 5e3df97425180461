#include "verify/replay.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "verify/row_counts.hpp"

namespace assay::verify {

namespace {

// Runs the events one after the other. Serializable: one commit each, where the whole transaction happens.
// Prefix, snapshot isolation: reads happen at the begin, writes at the commit; for snapshot isolation no two
// writers of a key overlap. By the definitions of the levels an order that runs is all that "holds" asks for.
class Replay {
 public:
  Replay(Facts& facts, const Claim& claim)
      : facts_(facts),
        h_(facts.h),
        claim_(claim),
        one_event_(implies(claim.level, Level::serializable)),
        exclusive_(!one_event_ && implies(claim.level, Level::snapshot_isolation)),
        real_time_(info(claim.level).real_time),
        progress_(h_.transactions(), Progress::waiting),
        last_of_session_(h_.sessions(), kInitialTxn),
        counts_(h_, facts.queries()),
        lists_(h_.has(OpKind::append) || h_.has(OpKind::list_read) ? h_.keys() : 0),
        locked_(exclusive_ ? h_.keys() : 0, false) {
    require(!real_time_ || h_.has_times(), "the history has no times");
  }

  void add(const Event& event) {
    const Txn t = event.txn;
    const bool begins = one_event_ || event.begins;
    facts_.require_of(h_.status(t) != Status::aborted, t, "aborted but is in the order");
    facts_.require_of(progress_[index(t)] == (begins ? Progress::waiting : Progress::running) &&
                          !(one_event_ && event.begins),
                      t, "begins or commits where it cannot");
    if (begins) begin(t);
    if (!event.begins) commit(t);
    progress_[index(t)] = event.begins ? Progress::running : Progress::done;
  }
  void finish() {
    for (const Txn t : h_.all_transactions()) {
      const bool needed = h_.status(t) == Status::committed || progress_[index(t)] == Progress::running;
      facts_.require_of(!needed || progress_[index(t)] == Progress::done, t, "does not commit in the order");
    }
  }

 private:
  enum class Progress : std::uint8_t { waiting, running, done };

  void begin(Txn t) {
    if (claim_.keep_sessions) {  // transactions are numbered in session order
      Txn& last = last_of_session_[index(h_.session_of(t))];
      facts_.require_of(last == kInitialTxn || (last < t && progress_[index(last)] == Progress::done), t,
                        "is not after the one before it in its session");
      last = t;
    }
    if (real_time_ && h_.start(t) && (latest_ == kInitialTxn || *h_.start(latest_) < *h_.start(t)))
      latest_ = t;
    if (h_.status(t) == Status::committed) {
      for (const Read& read : facts_.reads_of(t, Queries::Of::returned_rows)) {
        facts_.require_of(read.fits_own, t, read.key, "does not see the transaction's own write");
        facts_.require_of(sees_what_is_there(read), t, read.key, "does not see what was there");
      }
      ask_for_missing_rows(t);
    }
    if (!exclusive_) return;
    for (const Op op : h_.operations_of(t)) {
      facts_.require_of(!writes(h_.kind(op)) || !locked_[index(h_.key(op))], t,
                        "overlaps a writer of its keys");
    }
    lock(t, true);
  }
  // A query sees what its transaction had written before it first, then what is there.
  void ask_for_missing_rows(Txn t) {
    const std::span<const Queries::Asked> all = facts_.queries().all();
    const IdRange<Op> operations = h_.operations_of(t);
    if (all.empty() || operations.size() == 0) return;
    auto asked = std::partition_point(all.begin(), all.end(),
                                      [&](const Queries::Asked& one) { return one.query < operations[0]; });
    if (asked == all.end() || asked->query > operations[operations.size() - 1]) return;
    std::vector<std::pair<Key, Version>> before;
    for (const Op op : operations) {
      if (asked != all.end() && asked->query == op) {
        const auto number = static_cast<std::uint32_t>(asked++ - all.begin());
        facts_.require_of(counts_.returns_no_more(number), t,
                          "has a query that did not return all that was there");
      } else if (writes(h_.kind(op)) && h_.kind(op) != OpKind::append) {
        before.emplace_back(h_.key(op), counts_.now(h_.key(op)));
        counts_.set(h_.key(op), h_.version(op));
      }
    }
    for (std::size_t i = before.size(); i-- > 0;) counts_.set(before[i].first, before[i].second);
  }
  void lock(Txn t, bool locked) {
    for (const Op op : h_.operations_of(t)) {
      if (writes(h_.kind(op))) locked_[index(h_.key(op))] = locked;
    }
  }
  bool sees_what_is_there(const Read& read) const {
    if (!read.is_list) return read.after_own || facts_.covers(read.seen, counts_.now(read.key));
    const std::vector<Version>& list = lists_[index(read.key)];
    return std::equal(list.begin(), list.end(), read.list.begin(), read.list.end());
  }

  void commit(Txn t) {
    if (!one_event_ && !lists_.empty() && h_.status(t) == Status::committed) {
      // What a transaction appends comes to stand where it saw it: right behind what it had read.
      for (const Read& read : facts_.reads_of(t, Queries::Of::returned_rows)) {
        facts_.require_of(!read.is_list || !read.after_own || sees_what_is_there(read), t, read.key,
                          "shows its own appends where they did not come to stand");
      }
    }
    // Of all that began before, who started last is the first to be too late.
    facts_.require_of(
        !real_time_ || latest_ == kInitialTxn || !ended_before(h_, t, latest_, claim_.clock_drift), t,
        "ended before one started that began before it in the order");
    for (const Op op : h_.operations_of(t)) {
      if (h_.kind(op) == OpKind::append) {
        lists_[index(h_.key(op))].push_back(h_.version(op));
      } else if (writes(h_.kind(op))) {
        counts_.set(h_.key(op), h_.version(op));
      }
    }
    if (exclusive_) lock(t, false);
  }

  Facts& facts_;
  const History& h_;
  const Claim& claim_;
  bool one_event_, exclusive_, real_time_;
  std::vector<Progress> progress_;
  std::vector<Txn> last_of_session_;  // the last that began
  RowCounts counts_;                  // what is there of registers
  std::vector<std::vector<Version>> lists_;
  std::vector<bool> locked_;  // per key: a writer of it is running
  Txn latest_ = kInitialTxn;  // of those that began, who started last by its clock
};

}  // namespace

void check_replay(Lines& lines, Facts& facts, const Claim& claim) {
  Replay replay(facts, claim);
  for_each_event(lines, facts, [&](const Event& event) { replay.add(event); });
  replay.finish();
}

}  // namespace assay::verify
