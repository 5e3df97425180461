#include "split/merge.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <queue>
#include <utility>

namespace assay::split {

namespace {

using check::Event;

constexpr std::uint32_t kNone = 0xFFFFFFFFU;

std::chrono::nanoseconds drift_of(const History& history, const check::Options& options) {
  if (options.clock_drift) return *options.clock_drift;
  return history.clocks() == Clocks::one ? std::chrono::nanoseconds(0) : std::chrono::milliseconds(100);
}

// Takes from each part's order whatever may come next, until nothing may. That misses no order: what may come next may
// also come later, so it is never wrong to take it.
class Merger {
 public:
  Merger(const History& whole, const Division& division, std::span<const std::vector<Event>> orders,
         Level level, const check::Options& options)
      : h_(whole),
        part_of_(division.part_of),
        orders_(orders),
        begins_apart_(implies(level, Level::prefix) && !implies(level, Level::serializable)),
        at_(orders.size(), 0),
        waits_for_(orders.size(), kNone),
        next_waiter_(orders.size(), kNone),
        counts_(whole.transactions(), false),
        committed_(whole.transactions(), false),
        before_(whole.transactions(), kNone),
        first_waiter_(whole.transactions(), kNone) {
    std::size_t events = 0;
    for (const std::vector<Event>& order : orders) {
      events += order.size();
      for (const Event& event : order) counts_[index(event.txn)] = true;
    }
    merged_.order.reserve(events);
    if (options.sessions == check::SessionOrder::keep) link_sessions();
    if (info(level).real_time) sort_ends(drift_of(whole, options));
  }

  Merged run() {
    for (std::uint32_t part = 0; part < orders_.size(); ++part) ready_.push_back(part);
    while (!ready_.empty()) {
      const std::uint32_t part = ready_.back();
      ready_.pop_back();
      advance(part);
    }
    find_circles();
    if (!merged_.circles.empty()) merged_.order = {};
    return std::move(merged_);
  }

 private:
  void link_sessions() {
    for (std::uint32_t s = 0; s < h_.sessions(); ++s) {
      std::uint32_t last = kNone;
      for (const Txn t : h_.transactions_of(Session{s})) {
        if (!counts_[index(t)]) continue;
        before_[index(t)] = last;
        last = index(t);
      }
    }
  }

  // A transaction of unknown fate has no end: it may have committed at any later time.
  void sort_ends(std::chrono::nanoseconds drift) {
    drift_ = static_cast<std::uint64_t>(drift.count());
    for (const Txn t : h_.all_transactions()) {
      if (!counts_[index(t)] || h_.status(t) != Status::committed) continue;
      if (const auto end = h_.end(t)) ends_.emplace_back(*end, index(t));
    }
    std::sort(ends_.begin(), ends_.end());
  }

  // How many of the sorted ends lie before the transaction's start for certain.
  std::uint32_t ended_before(Txn t) const {
    const auto start = h_.start(t);
    if (!start) return 0;
    const auto first_later = std::partition_point(ends_.begin(), ends_.end(), [&](const auto& end) {
      // The unsigned difference of two ordered times cannot overflow.
      const std::uint64_t apart = static_cast<std::uint64_t>(*start) - static_cast<std::uint64_t>(end.first);
      return end.first < *start && apart > drift_;
    });
    return static_cast<std::uint32_t>(first_later - ends_.begin());
  }

  void advance(std::uint32_t part) {
    waits_for_[part] = kNone;
    while (at_[part] < orders_[part].size()) {
      const Event event = orders_[part][at_[part]];
      const bool begins = !begins_apart_ || event.side == Event::Side::begin;
      if (begins && must_wait(part, event.txn)) return;
      merged_.order.push_back(event);
      ++at_[part];
      if (event.side == Event::Side::commit) commit(index(event.txn));
    }
  }

  bool must_wait(std::uint32_t part, Txn t) {
    const std::uint32_t before = before_[index(t)];
    if (before != kNone && !committed_[before]) {
      next_waiter_[part] = std::exchange(first_waiter_[before], part);
      waits_for_[part] = before;
      return true;
    }
    if (ends_.empty()) return false;
    const std::uint32_t ended = ended_before(t);
    if (ended <= ended_) return false;
    waiting_for_time_.emplace(ended, part);
    waits_for_[part] = ends_[ended_].second;
    return true;
  }

  void commit(std::uint32_t t) {
    committed_[t] = true;
    for (std::uint32_t part = std::exchange(first_waiter_[t], kNone); part != kNone;
         part = std::exchange(next_waiter_[part], kNone)) {
      ready_.push_back(part);
    }
    while (ended_ < ends_.size() && committed_[ends_[ended_].second]) ++ended_;
    while (!waiting_for_time_.empty() && waiting_for_time_.top().first <= ended_) {
      ready_.push_back(waiting_for_time_.top().second);
      waiting_for_time_.pop();
    }
  }

  // Each part that is not done waits for one transaction, and so for one part.
  void find_circles() {
    const auto next = [&](std::uint32_t part) -> std::uint32_t {
      if (at_[part] == orders_[part].size()) return kNone;
      const std::uint32_t awaited = waits_for_[part];
      if (awaited != kNone && committed_[awaited]) return part_of_[ends_[ended_].second];  // for a time
      return part_of_[awaited];
    };
    constexpr std::uint32_t kNew = kNone;
    std::vector<std::uint32_t> walk_of(orders_.size(), kNew);
    for (std::uint32_t start = 0; start < orders_.size(); ++start) {
      std::uint32_t part = start;
      while (part != kNone && walk_of[part] == kNew) {
        walk_of[part] = start;
        part = next(part);
      }
      if (part == kNone || walk_of[part] != start) continue;
      std::vector<std::uint32_t>& circle = merged_.circles.emplace_back();
      for (const std::uint32_t first = part; circle.empty() || part != first; part = next(part))
        circle.push_back(part);
    }
  }

  const History& h_;
  const std::vector<std::uint32_t>& part_of_;
  const std::span<const std::vector<Event>> orders_;
  const bool begins_apart_;
  std::vector<std::size_t> at_;              // per part: what comes next in its order
  std::vector<std::uint32_t> waits_for_;     // per part: a transaction, or kNone
  std::vector<std::uint32_t> next_waiter_;   // per part: another that waits for the same
  std::vector<bool> counts_, committed_;     // per transaction
  std::vector<std::uint32_t> before_;        // per transaction: the one before it in its session
  std::vector<std::uint32_t> first_waiter_;  // per transaction: a part that waits for it
  std::vector<std::pair<std::int64_t, std::uint32_t>> ends_;  // in order of time
  std::uint32_t ended_ = 0;                                   // so many of them have committed
  std::uint64_t drift_ = 0;
  using Waiting = std::pair<std::uint32_t, std::uint32_t>;  // until so many have committed, a part
  std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>> waiting_for_time_;
  std::vector<std::uint32_t> ready_;
  Merged merged_;
};

}  // namespace

Merged merge(const History& whole, const Division& division, std::span<const std::vector<Event>> orders,
             Level level, const check::Options& options) {
  return Merger(whole, division, orders, level, options).run();
}

}  // namespace assay::split
