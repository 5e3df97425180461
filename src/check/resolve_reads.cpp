#include <algorithm>
#include <optional>
#include <tuple>

#include "check/expand.hpp"
#include "check/lists.hpp"
#include "check/reads.hpp"
#include "check/unexplained_reads.hpp"
#include "history/query.hpp"
#include "memory/prefetch.hpp"

namespace assay::check {

class ReadResolver {
 public:
  ReadResolver(const History& history, std::span<const Presence> fates, QueryReads queries)
      : h_(history),
        fates_(fates),
        queries_(queries),
        has_lists_(h_.has(OpKind::append) || h_.has(OpKind::list_read)),
        all_have_versions_(!h_.has(OpKind::list_read) && !h_.has_queries()),
        stamp_(h_.keys(), kNone),
        returned_by_(h_.has_queries() && queries_ != QueryReads::none ? h_.keys() : 0, kNone) {}

  Reads resolve() {
    reads_.not_understood_ = h_.has_queries() && queries_ == QueryReads::none
                                 ? "it has queries, which were not looked at"
                                 : h_.left_out();
    if (has_lists_) {
      lists_.emplace(h_);
      if (!lists_->not_understood().empty()) reads_.not_understood_ = lists_->not_understood();
    }
    find_who_counts();
    number_writes();
    answer_reads();
    if (lists_ && lists_->not_understood().empty()) order_list_writers();
    classify_bad_reads();
    return std::move(reads_);
  }

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFFU;

  bool is_list_key(Key k) const { return lists_ && lists_->is_list(k); }

  // Calls visit(op, key, version) for each read of a key that the transaction had not written before; list
  // reads are left to `lists_`.
  template <class Visit, class Internal>
  void for_each_register_read(Txn t, Visit visit, Internal internal) {
    for (const Op op : h_.operations_of(t)) {
      const OpKind kind = h_.kind(op);
      if (kind == OpKind::list_read) continue;
      for_each_version(op, [&](Version v) {
        const Key k = h_.key_of(v);
        if (is_list_key(k)) return;
        if (writes(kind)) {
          stamp_[index(k)] = index(t);
          own_write_[index(k)] = index(op);
        } else if (stamp_[index(k)] != index(t)) {
          visit(op, k, v);
        } else if (!h_.covers(v, h_.version(Op{own_write_[index(k)]}))) {
          internal(op, v, Op{own_write_[index(k)]});
        }
      });
    }
  }

  // The version that an operation wrote or read; of a query those of the rows that it returned, each key's
  // first.
  template <class Visit>
  void for_each_version(Op op, Visit visit) {
    const OpKind kind = h_.kind(op);
    if (!is_query(kind)) return visit(h_.version(op));
    if (queries_ == QueryReads::none) return;
    for (const Version v : h_.query(op).results) {
      std::uint32_t& last = returned_by_[index(h_.key_of(v))];
      if (last == index(op)) continue;
      last = index(op);
      visit(v);
    }
  }
  void saw_not_its_own(Txn t, Op op, Version v, Op own) {
    reads_.bad_reads_.push_back({BadRead::Kind::internal, t, op, own});
    if (is_query(h_, op)) reads_.bad_reads_.back().row = h_.key_of(v);
  }

  // Calls visit(op, key) for the last write of each key.
  template <class Visit>
  void for_each_final_write(Txn t, Visit visit) {
    const IdRange<Op> ops = h_.operations_of(t);
    for (std::uint32_t i = ops.size(); i-- > 0;) {
      if (!writes(h_.kind(ops[i]))) continue;
      const Key k = h_.key(ops[i]);
      if (stamp_[index(k)] == index(t)) continue;
      stamp_[index(k)] = index(t);
      visit(ops[i], k);
    }
  }

  // The table by version is visited at random, by operations that are known long before.
  void prefetch_versions_near(Txn t) const {
    constexpr std::uint32_t kAhead = 6;
    if (!all_have_versions_ || index(t) + kAhead >= h_.transactions()) return;
    const IdRange<Op> ops = h_.operations_of(Txn{index(t) + kAhead});
    for (std::uint32_t i = 0; i < std::min(ops.size(), 64U); ++i) {
      prefetch(version_write_.data() + index(h_.version(ops[i])));
    }
  }

  // The same as asking for the writer of w, which is far away; the writes of t are at hand.
  bool is_write_of(Txn t, Write w) const {
    const std::span<const Write> own = reads_.writes_of(t);
    if (own.size() > 16) return std::binary_search(own.begin(), own.end(), w);
    return std::find(own.begin(), own.end(), w) != own.end();
  }

  // Most transactions have a handful of writes, for which the general sort takes longer than all else here.
  static void sort_writes(std::span<Write> writes) {
    if (writes.size() > 16) return std::sort(writes.begin(), writes.end());
    for (std::size_t i = 1; i < writes.size(); ++i) {
      for (std::size_t j = i; j > 0 && writes[j] < writes[j - 1]; --j) std::swap(writes[j], writes[j - 1]);
    }
  }

  void clear_stamps() {
    std::fill(stamp_.begin(), stamp_.end(), kNone);
    std::fill(returned_by_.begin(), returned_by_.end(), kNone);
  }

  // Transactions of unknown fate count if a committed one read from them. Where they are the only possible
  // writer of what was read that is certain; where they are one of several it stays open.
  void find_who_counts() {
    reads_.presence_.assign(h_.transactions(), Presence::present);
    bool some_unknown = false;
    for (const Txn t : h_.all_transactions()) {
      if (h_.status(t) == Status::committed) continue;
      reads_.presence_[index(t)] = Presence::absent;
      some_unknown |= h_.status(t) == Status::unknown;
    }
    own_write_.assign(h_.keys(), 0);
    if (!fates_.empty()) {
      reads_.presence_.assign(fates_.begin(), fates_.end());
      return;
    }
    if (!some_unknown) return;

    std::vector<std::uint8_t> was_read(h_.versions(), 0);
    std::vector<Version> sets_read;
    for (const Txn t : h_.all_transactions()) {
      if (h_.status(t) != Status::committed) continue;
      for_each_register_read(
          t,
          [&](Op, Key, Version v) {
            was_read[index(v)] = 1;
            if (h_.is_set(v)) sets_read.push_back(v);
          },
          [](Op, Version, Op) {});
      if (!lists_) continue;
      for (const Op op : h_.operations_of(t)) {
        if (h_.kind(op) != OpKind::list_read) continue;
        for (const Version v : h_.list(op).elements) was_read[index(v)] = 1;
      }
    }
    clear_stamps();
    std::vector<std::uint8_t> writers(h_.versions(), 0);  // how many possible ones, up to 2
    for (std::uint32_t k = 0; k < h_.keys(); ++k) writers[index(h_.initial_version(Key{k}))] = 1;
    const auto for_each_visible_write = [&](Txn t, auto visit) {
      for_each_final_write(t, [&](Op op, Key) { visit(op); });
      if (!lists_) return;
      // Every element of a list is seen, not only the last that a transaction appended.
      for (const Op op : h_.operations_of(t)) {
        if (h_.kind(op) == OpKind::append) visit(op);
      }
    };
    for (const Txn t : h_.all_transactions()) {
      if (h_.status(t) == Status::aborted) continue;
      for_each_final_write(t, [&](Op op, Key) {
        std::uint8_t& count = writers[index(h_.version(op))];
        count = static_cast<std::uint8_t>(std::min(count + 1, 2));
      });
    }
    clear_stamps();
    // Who saw one of several versions saw a certain one only if all others have no writer.
    std::vector<std::uint8_t> maybe_read(sets_read.empty() ? 0 : h_.versions(), 0);
    for (const Version set : sets_read) {
      std::uint32_t all = 0;
      for (const Version v : h_.members(set)) all += writers[index(v)];
      for (const Version v : h_.members(set)) (all > 1 ? maybe_read : was_read)[index(v)] = 1;
    }
    for (const Txn t : h_.all_transactions()) {
      if (h_.status(t) != Status::unknown) continue;
      Presence& presence = reads_.presence_[index(t)];
      for_each_visible_write(t, [&](Op op) {
        const std::uint32_t v = index(h_.version(op));
        if (!was_read[v] && (maybe_read.empty() || !maybe_read[v])) return;
        if (was_read[v] && writers[v] < 2) {
          presence = Presence::present;
        } else if (presence == Presence::absent) {
          presence = Presence::conditional;
        }
      });
    }
    clear_stamps();
  }

  // First which operation each final write is and how many each key has, then their numbers: the second round
  // knows what it will look up at random and asks for it ahead.
  void number_writes() {
    std::vector<std::uint32_t> begin(h_.keys() + std::size_t{1}, 0);
    LargeVector<Op> ops;
    LargeVector<Key> keys;
    const std::size_t most = h_.operations() - std::size_t{h_.count(OpKind::read)};
    ops.reserve(most);
    keys.reserve(most);
    reads_.txn_write_begin_.reserve(h_.transactions() + std::size_t{1});
    for (const Txn t : h_.all_transactions()) {
      if (reads_.presence(t) != Presence::absent) {
        for_each_final_write(t, [&](Op op, Key k) {
          ++begin[index(k) + std::size_t{1}];
          ops.push_back(op);
          keys.push_back(k);
        });
      }
      reads_.txn_write_begin_.push_back(static_cast<std::uint32_t>(ops.size()));
    }
    clear_stamps();
    for (std::uint32_t k = 0; k < h_.keys(); ++k) begin[k + 1] += begin[k] + 1;

    reads_.writers_.resize(ops.size() + h_.keys());
    std::vector<std::uint32_t> next(begin.begin(), begin.end() - 1);
    reads_.key_begin_ = Runs(std::move(begin));
    version_write_.assign(h_.versions(), kNone);
    for (std::uint32_t k = 0; k < h_.keys(); ++k) {
      const std::uint32_t w = next[k]++;
      reads_.writers_[w] = kInitialTxn;
      version_write_[index(h_.initial_version(Key{k}))] = w;
    }
    constexpr std::size_t kAhead = 32;
    reads_.txn_writes_.resize(ops.size());
    for (const Txn t : h_.all_transactions()) {
      const std::uint32_t first = reads_.txn_write_begin_[index(t)],
                          last = reads_.txn_write_begin_[index(t) + std::size_t{1}];
      for (std::size_t i = first; i < last; ++i) {
        if (i + kAhead < ops.size()) {
          prefetch(&version_write_[index(h_.version(ops[i + kAhead]))]);
          prefetch(&reads_.writers_[next[index(keys[i + kAhead])]]);
        }
        const std::uint32_t v = index(h_.version(ops[i])), w = next[index(keys[i])]++;
        reads_.writers_[w] = t;
        reads_.txn_writes_[i] = Write{w};
        if (version_write_[v] == kNone) {
          version_write_[v] = w;
        } else {
          repeats_.push_back({v, w});
        }
      }
      sort_writes(std::span(reads_.txn_writes_).subspan(first, last - first));
    }
    // Writes of a repeated version: the first is in version_write_, the others here, found by binary search.
    std::sort(repeats_.begin(), repeats_.end());
  }

  void answer_reads() {
    reads_.txn_read_begin_.reserve(h_.transactions() + std::size_t{1});
    reads_.sources_.reserve(h_.count(OpKind::read) + std::size_t{h_.count(OpKind::list_read)});
    set_of_version_.clear();
    for (const Txn t : h_.all_transactions()) {
      prefetch_versions_near(t);
      if (h_.status(t) == Status::committed) {
        if (lists_) {
          answer_reads_with_lists(t);
        } else {
          for_each_register_read(
              t, [&](Op op, Key, Version v) { answer(t, op, v); },
              [&](Op op, Version v, Op own) { saw_not_its_own(t, op, v, own); });
        }
      }
      reads_.txn_read_begin_.push_back(static_cast<std::uint32_t>(reads_.sources_.size()));
    }
    clear_stamps();
    if (std::find(reads_.presence_.begin(), reads_.presence_.end(), Presence::conditional) ==
        reads_.presence_.end()) {
      return;
    }
    // A reader is no candidate for its own read, which can leave one that was thought to be one of several.
    for (const Source source : reads_.sources_) {
      if (source.is_ambiguous() || reads_.is_initial(source.write())) continue;
      Presence& presence = reads_.presence_[index(reads_.writer(source.write()))];
      if (presence == Presence::conditional) presence = Presence::present;
    }
  }

  // Registers and lists may share a transaction; its reads must come out in program order.
  void answer_reads_with_lists(Txn t) {
    lists_->enter(t);
    for (const Op op : h_.operations_of(t)) {
      const OpKind kind = h_.kind(op);
      if (is_query(kind)) {
        for_each_version(op, [&](Version v) {
          if (!is_list_key(h_.key_of(v))) answer_unless_own(t, op, v);
        });
        continue;
      }
      const Key k = kind == OpKind::list_read ? h_.list(op).key : h_.key(op);
      if (is_list_key(k)) {
        // Where it is not clear who appended what, nothing that a list shows is evidence.
        if (!lists_->not_understood().empty()) continue;
        const ListReads::Answer answer = lists_->operation(op);
        if (answer.bad) reads_.bad_reads_.push_back(*answer.bad);
        if (answer.saw) {
          // An element has one writer, or the history is not understood (lists.hpp): never ambiguous.
          const std::uint32_t w = version_write_[index(answer.saw->value_or(h_.initial_version(k)))];
          if (w != kNone) reads_.sources_.push_back(Source::of(Write{w}));
        }
        continue;
      }
      if (writes(kind)) {
        stamp_[index(k)] = index(t);
        own_write_[index(k)] = index(op);
      } else {
        answer_unless_own(t, op, h_.version(op));
      }
    }
  }
  void answer_unless_own(Txn t, Op op, Version v) {
    const Key k = h_.key_of(v);
    if (stamp_[index(k)] != index(t)) {
      answer(t, op, v);
    } else if (!h_.covers(v, h_.version(Op{own_write_[index(k)]}))) {
      saw_not_its_own(t, op, v, Op{own_write_[index(k)]});
    }
  }

  void answer(Txn t, Op op, Version v) {
    if (h_.is_set(v)) return answer_set(t, op, v);
    const std::uint32_t w = version_write_[index(v)];
    if (w == kNone) return unexplained_.push_back({v, t, op});
    if (repeats_.empty()) {
      if (is_write_of(t, Write{w})) {
        unexplained_.push_back({v, t, op});
      } else {
        reads_.sources_.push_back(Source::of(Write{w}));
      }
      return;
    }
    const auto first = std::lower_bound(repeats_.begin(), repeats_.end(), Repeat{index(v), 0});
    auto last = first;
    while (last != repeats_.end() && last->version == index(v)) ++last;
    bool wrote_it_too = reads_.writers_[w] == t;
    for (auto it = first; it != last && !wrote_it_too; ++it) wrote_it_too = reads_.writers_[it->write] == t;

    const auto candidates = static_cast<std::size_t>(last - first) + 1 - (wrote_it_too ? 1 : 0);
    if (candidates == 0) {
      unexplained_.push_back({v, t, op});
      return;
    }
    if (candidates > 1 && !wrote_it_too) {
      // All readers of a version share one candidate set, so thousands of readers of thousands of candidates
      // do not multiply. A reader that later writes the same value itself needs a set without itself.
      if (set_of_version_.empty()) set_of_version_.assign(h_.versions(), kNone);
      std::uint32_t& set = set_of_version_[index(v)];
      if (set == kNone) set = new_set(w, first, last, kInitialTxn, false);
      reads_.sources_.push_back(Source::ambiguous(set));
      return;
    }
    const std::uint32_t set = new_set(w, first, last, t, true);
    if (candidates == 1) {
      reads_.sources_.push_back(Source::of(reads_.candidates_[reads_.set_begin_[set]]));
      reads_.candidates_.pop_back();
      reads_.set_begin_.pop_back();
    } else {
      reads_.sources_.push_back(Source::ambiguous(set));
    }
  }

  // A read that saw one of several versions. All its readers share the candidates, as above.
  void answer_set(Txn t, Op op, Version set) {
    if (set_of_version_.empty()) set_of_version_.assign(h_.versions(), kNone);
    std::uint32_t& shared = set_of_version_[index(set)];
    if (shared != kNone && !is_write_of_one(t, reads_.candidates(shared))) {
      reads_.sources_.push_back(Source::ambiguous(shared));
      return;
    }
    bool wrote_one = false;
    const auto add = [&](std::uint32_t write) {
      if (reads_.writers_[write] == t) {
        wrote_one = true;
      } else {
        reads_.candidates_.push_back(Write{write});
      }
    };
    for (const Version v : h_.members(set)) {
      if (version_write_[index(v)] == kNone) continue;
      add(version_write_[index(v)]);
      auto it = std::lower_bound(repeats_.begin(), repeats_.end(), Repeat{index(v), 0});
      for (; it != repeats_.end() && it->version == index(v); ++it) add(it->write);
    }
    const auto first = reads_.candidates_.begin() + reads_.set_begin_.back();
    const auto found = reads_.candidates_.end() - first;
    if (found > 1) {
      std::sort(first, reads_.candidates_.end());
      reads_.set_begin_.push_back(static_cast<std::uint32_t>(reads_.candidates_.size()));
      reads_.sources_.push_back(Source::ambiguous(reads_.ambiguous_sets() - 1));
      if (!wrote_one) shared = reads_.ambiguous_sets() - 1;
      return;
    }
    if (found == 1) {
      reads_.sources_.push_back(Source::of(*first));
    } else {
      unexplained_.push_back({set, t, op});
    }
    reads_.candidates_.erase(first, reads_.candidates_.end());
  }
  bool is_write_of_one(Txn t, std::span<const Write> candidates) const {
    for (const Write own : reads_.writes_of(t)) {
      if (std::binary_search(candidates.begin(), candidates.end(), own)) return true;
    }
    return false;
  }

  struct Repeat {
    std::uint32_t version, write;
    auto operator<=>(const Repeat&) const = default;
  };
  using RepeatIterator = std::vector<Repeat>::const_iterator;

  std::uint32_t new_set(std::uint32_t w, RepeatIterator first, RepeatIterator last, Txn without,
                        bool leave_out) {
    const auto add = [&](std::uint32_t write) {
      if (!leave_out || reads_.writers_[write] != without) reads_.candidates_.push_back(Write{write});
    };
    add(w);
    for (auto it = first; it != last; ++it) add(it->write);
    std::sort(reads_.candidates_.begin() + reads_.set_begin_.back(), reads_.candidates_.end());
    reads_.set_begin_.push_back(static_cast<std::uint32_t>(reads_.candidates_.size()));
    return reads_.ambiguous_sets() - 1;
  }

  // The longest list of a key orders its writers; whoever appended and was not seen came later.
  void order_list_writers() {
    for (std::uint32_t k = 0; k < h_.keys(); ++k) {
      const std::span<const Version> longest = lists_->longest(Key{k});
      const std::optional<Txn> shown_by = lists_->reader_of_longest(Key{k});
      if (!shown_by) continue;
      Txn last = kInitialTxn;
      std::vector<Txn> seen;
      for (const Version v : longest) {
        const std::uint32_t w = lists_->writer(v);
        if (w == kNone || reads_.presence(Txn{w}) == Presence::absent)
          continue;  // a bad read, reported as such
        const Txn next{w};
        if (next == last) continue;
        if (last != kInitialTxn) reads_.version_orders_.push_back({last, next, Key{k}, *shown_by});
        last = next;
        seen.push_back(next);
      }
      if (last == kInitialTxn) continue;
      std::sort(seen.begin(), seen.end());
      for (const Write w : reads_.writes_of(Key{k})) {
        if (reads_.is_initial(w) || std::binary_search(seen.begin(), seen.end(), reads_.writer(w))) continue;
        reads_.version_orders_.push_back({last, reads_.writer(w), Key{k}, *shown_by});
      }
    }
    std::sort(reads_.version_orders_.begin(), reads_.version_orders_.end(),
              [](const Reads::VersionOrder& a, const Reads::VersionOrder& b) {
                return std::tie(a.before, a.after, a.key) < std::tie(b.before, b.after, b.key);
              });
  }

  void classify_bad_reads() {
    const std::vector<BadRead> found = explain(h_, unexplained_);
    reads_.bad_reads_.insert(reads_.bad_reads_.end(), found.begin(), found.end());
    std::sort(reads_.bad_reads_.begin(), reads_.bad_reads_.end(),
              [](const BadRead& a, const BadRead& b) { return a.read < b.read; });
  }

  const History& h_;
  std::span<const Presence> fates_;
  const QueryReads queries_;
  Reads reads_;
  bool has_lists_;
  bool all_have_versions_;
  std::optional<ListReads> lists_;
  std::vector<std::uint32_t> stamp_;        // key -> the transaction that touched it last in the current pass
  std::vector<std::uint32_t> returned_by_;  // key -> the query that returned a row of it last
  std::vector<std::uint32_t> own_write_;    // key -> its last write in the current transaction
  LargeVector<std::uint32_t> version_write_;
  std::vector<Repeat> repeats_;
  std::vector<std::uint32_t> set_of_version_;
  std::vector<UnexplainedRead> unexplained_;
};

Reads resolve_reads(const History& history, std::span<const Presence> fates, QueryReads queries) {
  return ReadResolver(history, fates, queries).resolve();
}

}  // namespace assay::check
