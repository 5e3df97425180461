#include "evidence/direct_cycle.hpp"

#include <algorithm>
#include <cassert>
#include <cstdint>

#include "check/reads.hpp"
#include "order/cycles.hpp"
#include "order/graph.hpp"

namespace assay::evidence {

using check::Reads;
using check::Source;
using check::Write;

namespace {

constexpr std::uint64_t kNodesVisited = 2'000'000;
constexpr std::size_t kMostOverwriters = 4;  // of one version: two are a lost update already

class DirectOrders {
 public:
  DirectOrders(const History& history, Level level, check::SessionOrder sessions)
      : h_(history),
        reads_(check::resolve_reads(history)),
        two_events_(!implies(level, Level::serializable)),
        keep_sessions_(sessions == check::SessionOrder::keep) {}

  std::vector<Txn> shortest() {
    if (!reads_.bad_reads().empty()) return {};
    add_reads();
    add_overwriters();
    add_lists();
    const order::Graph graph(nodes(), edges_);
    const std::vector<std::uint32_t> next = chains();
    const auto cycles = order::shortest_cycles({graph, next}, kNodesVisited);
    const auto best = std::min_element(cycles.begin(), cycles.end(),
                                       [](const auto& a, const auto& b) { return a.size() < b.size(); });
    if (best == cycles.end()) return {};
    std::vector<Txn> found;
    for (const std::uint32_t node : *best) found.push_back(Txn{two_events_ ? node / 2 : node});
    return with_whom_they_read(std::move(found));
  }

 private:
  std::uint32_t nodes() const { return h_.transactions() * (two_events_ ? 2 : 1); }
  std::uint32_t begin(Txn t) const { return two_events_ ? 2 * index(t) : index(t); }
  std::uint32_t commit(Txn t) const { return two_events_ ? 2 * index(t) + 1 : index(t); }

  // Along a session, and from the begin to the commit of each transaction.
  std::vector<std::uint32_t> chains() const {
    std::vector<std::uint32_t> next(nodes(), order::kNoNode);
    for (const Txn t : h_.all_transactions()) {
      if (two_events_) next[begin(t)] = commit(t);
      const Txn after{index(t) + 1};
      if (keep_sessions_ && index(after) < h_.transactions() && h_.session_of(t) == h_.session_of(after))
        next[commit(t)] = begin(after);
    }
    return next;
  }

  void add_reads() {
    readers_begin_.assign(reads_.writes() + std::size_t{1}, 0);
    const auto for_each_read = [&](auto visit) {
      for (const Txn t : h_.all_transactions()) {
        for (const Source s : reads_.reads_of(t)) {
          if (!s.is_ambiguous()) visit(t, s.write());
        }
      }
    };
    for_each_read([&](Txn, Write w) { ++readers_begin_[index(w) + 1]; });
    for (std::size_t i = 1; i < readers_begin_.size(); ++i) readers_begin_[i] += readers_begin_[i - 1];
    readers_.resize(readers_begin_.back());
    std::vector<std::uint32_t> place(readers_begin_.begin(), readers_begin_.end() - 1);
    for_each_read([&](Txn t, Write w) {
      readers_[place[index(w)]++] = t;
      if (!reads_.is_initial(w)) edges_.push_back({commit(reads_.writer(w)), begin(t)});
    });
  }
  std::span<const Txn> readers(Write w) const {
    return {readers_.data() + readers_begin_[index(w)], readers_.data() + readers_begin_[index(w) + 1]};
  }

  bool writes_key(Txn t, Key k) const {
    const auto written = reads_.writes_of(t);
    const auto at = std::lower_bound(written.begin(), written.end(), k,
                                     [&](Write w, Key key) { return reads_.key(w) < key; });
    return at != written.end() && reads_.key(*at) == k;
  }

  // Who read a version and overwrote it comes after whoever else read it.
  void add_overwriters() {
    for (std::uint32_t i = 0; i < reads_.writes(); ++i) {
      std::size_t found = 0;
      for (const Txn overwriter : readers(Write{i})) {
        if (found == kMostOverwriters) break;
        if (!writes_key(overwriter, reads_.key(Write{i}))) continue;
        ++found;
        add_missed(Write{i}, overwriter);
      }
    }
  }
  void add_missed(Write w, Txn overwriter) {
    for (const Txn reader : readers(w)) {
      if (reader != overwriter) edges_.push_back({begin(reader), commit(overwriter)});
    }
  }

  void add_lists() {
    for (const Reads::VersionOrder& known : reads_.version_orders()) {
      edges_.push_back({commit(known.before), commit(known.after)});
      for (const Write w : reads_.writes_of(known.before)) {
        if (reads_.key(w) == known.key) add_missed(w, known.after);
      }
    }
  }

  std::vector<Txn> with_whom_they_read(std::vector<Txn> found) const {
    const std::size_t on_cycle = found.size();
    for (std::size_t i = 0; i < on_cycle; ++i) {
      for (const Source s : reads_.reads_of(found[i])) {
        if (!s.is_ambiguous() && !reads_.is_initial(s.write())) found.push_back(reads_.writer(s.write()));
      }
    }
    for (const Reads::VersionOrder& known : reads_.version_orders()) {
      const auto end = found.begin() + static_cast<std::ptrdiff_t>(on_cycle);
      if (std::find(found.begin(), end, known.before) != end) found.push_back(known.shown_by);
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
  }

  const History& h_;
  const Reads reads_;
  const bool two_events_, keep_sessions_;
  std::vector<order::Edge> edges_;
  std::vector<std::uint32_t> readers_begin_;
  std::vector<Txn> readers_;
};

}  // namespace

std::vector<Txn> direct_cycle(const History& history, Level level, check::SessionOrder sessions) {
  assert(implies(level, Level::prefix));
  return DirectOrders(history, level, sessions).shortest();
}

}  // namespace assay::evidence
