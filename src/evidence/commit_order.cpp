#include "evidence/commit_order.hpp"

#include <algorithm>

namespace assay::evidence {

std::string CommitOrder::name(Txn t) const {
  return "transaction " + to_string(h_.name(t)) + " of session " + to_string(h_.name(h_.session_of(t)));
}
std::string CommitOrder::name_read(Txn t, Key k) const {
  return "a read of key " + to_string(h_.name(k)) + " in " + name(t);
}

bool CommitOrder::writes_key(Txn t, Key k) const {
  const auto keys = keys_written(t);
  return std::binary_search(keys.begin(), keys.end(), k);
}

std::optional<Txn> CommitOrder::earlier_in_session(Txn t, Key k) const {
  const auto all = writers(k);
  const auto after = std::lower_bound(all.begin(), all.end(), t);
  if (after == all.begin() || h_.session_of(*(after - 1)) != h_.session_of(t)) return std::nullopt;
  return *(after - 1);
}

std::optional<std::string> CommitOrder::place(std::span<const check::Event> order, bool keep_sessions,
                                              bool versions_only) {
  if (auto wrong = place_transactions(order, keep_sessions && !versions_only)) return wrong;
  collect_writes();
  build_lists(versions_only);
  return answer_reads(versions_only);
}

std::optional<std::string> CommitOrder::place_transactions(std::span<const check::Event> order,
                                                           bool keep_sessions) {
  position_.assign(h_.transactions(), kNotThere);
  for (const check::Event& event : order) {
    const Txn t = event.txn;
    if (index(t) >= h_.transactions()) return "the order names a transaction that does not exist";
    if (h_.status(t) == Status::aborted) return name(t) + " aborted but is in the order";
    if (is_there(t)) return name(t) + " is in the order twice";
    if (event.side != check::Event::Side::commit) return name(t) + " begins, in an order of commits";
    position_[index(t)] = static_cast<std::uint32_t>(order_.size());
    order_.push_back(t);
  }
  Txn last = kInitialTxn;
  for (const Txn t : h_.all_transactions()) {
    if (!is_there(t)) {
      if (h_.status(t) == Status::committed) return name(t) + " committed but is not in the order";
      continue;
    }
    const bool follows = last != kInitialTxn && h_.session_of(last) == h_.session_of(t);
    if (keep_sessions && follows && !before(last, t)) {
      return name(t) + " is not after " + name(last) + ", against session order";
    }
    last = t;
  }
  return std::nullopt;
}

void CommitOrder::collect_writes() {
  version_begin_.assign(h_.versions() + std::size_t{1}, 0);
  writers_begin_.assign(h_.keys() + std::size_t{1}, 0);
  struct FinalWrite {
    Version version;
    Txn txn;
  };
  std::vector<FinalWrite> final_writes;
  for (const Txn t : h_.all_transactions()) {
    if (is_there(t)) {
      const auto first = static_cast<std::ptrdiff_t>(keys_written_.size());
      operations_.for_each_final_write(t, [&](Key k, Version v) {
        keys_written_.push_back(k);
        final_writes.push_back({v, t});
        ++version_begin_[index(v) + 1];
      });
      for (const Op op : h_.operations_of(t)) {
        if (h_.kind(op) == OpKind::append) keys_written_.push_back(h_.key(op));
      }
      std::sort(keys_written_.begin() + first, keys_written_.end());
      keys_written_.erase(std::unique(keys_written_.begin() + first, keys_written_.end()),
                          keys_written_.end());
      for (auto k = keys_written_.begin() + first; k != keys_written_.end(); ++k) {
        ++writers_begin_[index(*k) + 1];
      }
    }
    keys_begin_.push_back(static_cast<std::uint32_t>(keys_written_.size()));
  }
  for (std::size_t i = 1; i < version_begin_.size(); ++i) version_begin_[i] += version_begin_[i - 1];
  for (std::size_t i = 1; i < writers_begin_.size(); ++i) writers_begin_[i] += writers_begin_[i - 1];

  version_writers_.resize(final_writes.size());
  std::vector<std::uint32_t> next(version_begin_.begin(), version_begin_.end() - 1);
  for (const FinalWrite& w : final_writes) version_writers_[next[index(w.version)]++] = w.txn;
  writers_.resize(keys_written_.size());
  next.assign(writers_begin_.begin(), writers_begin_.end() - 1);
  for (const Txn t : h_.all_transactions()) {
    for (const Key k : keys_written(t)) writers_[next[index(k)]++] = t;
  }
}

void CommitOrder::build_lists(bool versions_only) {
  lists_.resize(h_.has(OpKind::append) || h_.has(OpKind::list_read) ? h_.keys() : 0);
  if (lists_.empty()) return;
  if (!versions_only) {
    for (const Txn t : order_) {
      for (const Key k : keys_written(t)) {
        if (operations_.is_list(k)) lists_[index(k)].appenders.push_back(t);
      }
    }
  } else {
    // The longest list that was read shows the order, as far as anybody can tell.
    std::vector<std::span<const Version>> longest(h_.keys());
    std::vector<Txn> appender(h_.versions(), kInitialTxn);
    for (const Txn t : order_) {
      for (const Op op : h_.operations_of(t)) {
        if (h_.kind(op) == OpKind::append) appender[index(h_.version(op))] = t;
        if (h_.kind(op) != OpKind::list_read || h_.status(t) != Status::committed) continue;
        auto& list = longest[index(h_.list(op).key)];
        if (h_.list(op).elements.size() > list.size()) list = h_.list(op).elements;
      }
    }
    std::vector<std::uint32_t> placed(h_.transactions(), kNotThere);
    for (std::uint32_t k = 0; k < h_.keys(); ++k) {
      if (!operations_.is_list(Key{k})) continue;
      const auto append = [&](Txn t) {
        if (t == kInitialTxn || placed[index(t)] == k) return;
        placed[index(t)] = k;
        lists_[k].appenders.push_back(t);
      };
      for (const Version v : longest[k]) append(appender[index(v)]);
      for (const Txn t : writers(Key{k})) append(t);
    }
  }
  for (std::uint32_t k = 0; k < h_.keys(); ++k) {
    List& list = lists_[k];
    for (const Txn t : list.appenders) {
      for (const Op op : h_.operations_of(t)) {
        if (h_.kind(op) == OpKind::append && h_.key(op) == Key{k}) list.elements.push_back(h_.version(op));
      }
      list.lengths.push_back(list.elements.size());
    }
  }
}

std::optional<std::string> CommitOrder::answer_reads(bool versions_only) {
  std::vector<OutsideRead> outside;
  for (const Txn t : h_.all_transactions()) {
    if (h_.status(t) == Status::committed) {
      if (const auto wrong = operations_.outside_reads(t, outside)) {
        const Key k = h_.kind(*wrong) == OpKind::list_read ? h_.list(*wrong).key : h_.key(*wrong);
        return name_read(t, k) + " does not see the transaction's own write";
      }
      for (const OutsideRead& r : outside) {
        const auto first = static_cast<std::uint32_t>(possible_.size());
        if (!r.is_list) {
          answer_register(t, r, versions_only);
        } else if (!answer_list(t, r, versions_only)) {
          return name_read(t, r.key) + " shows a list that did not exist";
        }
        const auto last = static_cast<std::uint32_t>(possible_.size());
        if (first == last) return name_read(t, r.key) + " sees what nobody before it wrote";
        reads_.push_back({r.key, first, last, r.moment});
      }
    }
    reads_begin_.push_back(static_cast<std::uint32_t>(reads_.size()));
  }
  return std::nullopt;
}

void CommitOrder::answer_register(Txn t, const OutsideRead& read, bool versions_only) {
  const auto first = static_cast<std::ptrdiff_t>(possible_.size());
  const auto add_writers = [&](Version v) {
    for (const Txn writer : slice(version_writers_, version_begin_, index(v))) {
      if (versions_only ? writer != t : before(writer, t)) possible_.push_back(writer);
    }
  };
  if (h_.is_set(read.seen)) {
    for (const Version v : h_.members(read.seen)) add_writers(v);
  } else {
    add_writers(read.seen);
  }
  // The latest first: it satisfies most.
  std::sort(possible_.begin() + first, possible_.end(), [&](Txn a, Txn b) { return before(b, a); });
  if (h_.covers(read.seen, h_.initial_version(read.key))) possible_.push_back(kInitialTxn);
}

bool CommitOrder::answer_list(Txn t, const OutsideRead& read, bool versions_only) {
  const List& list = lists_[index(read.key)];
  const std::size_t length = read.list.size();
  if (length > list.elements.size() ||
      !std::equal(read.list.begin(), read.list.end(), list.elements.begin())) {
    return false;
  }
  // How many transactions made this much of the list.
  const auto upper = std::upper_bound(list.lengths.begin(), list.lengths.end(), length);
  const auto made = static_cast<std::size_t>(upper - list.lengths.begin());
  if ((made == 0 ? 0 : list.lengths[made - 1]) != length) return false;
  // Own appends stand right behind what was there.
  if (read.after_own && (made == list.appenders.size() || list.appenders[made] != t)) return false;
  const Txn source = made == 0 ? kInitialTxn : list.appenders[made - 1];
  if (source == t || (!versions_only && !before(source, t))) return false;
  possible_.push_back(source);
  return true;
}

}  // namespace assay::evidence
