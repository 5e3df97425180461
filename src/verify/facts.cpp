#include "verify/facts.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace assay::verify {

Facts::Facts(const History& history, Level level, Show show)
    : h(history), show_(show), is_list_(h.keys(), false), muddled_(h.keys(), false) {
  find_own_writes();
  if (h.has(OpKind::append) || h.has(OpKind::list_read)) find_lists();
  queries_.emplace(h, level, is_list_);
}

void Facts::require_understood() const {
  if (!h.left_out().empty()) throw Rejected{h.left_out()};
  if (!queries_->unclear().empty()) throw Rejected{queries_->unclear()};
  require(std::find(muddled_.begin(), muddled_.end(), true) == muddled_.end(),
          "the elements of a list do not tell who appended them, or it is a register too");
}

void Facts::find_own_writes() {
  writes_begin_.push_back(0);
  for (const Txn t : h.all_transactions()) {
    for (const Op op : h.operations_of(t)) {
      if (writes(h.kind(op))) writes_.push_back(op);
    }
    const auto by_key = [&](Op a, Op b) { return std::pair(h.key(a), a) < std::pair(h.key(b), b); };
    std::sort(writes_.begin() + writes_begin_.back(), writes_.end(), by_key);
    writes_begin_.push_back(static_cast<std::uint32_t>(writes_.size()));
  }
}

std::span<const Op> Facts::writes_of(IdRange<Txn> transactions) const {
  const Op* const all = writes_.data();
  const std::uint32_t first = index(transactions[0]);
  return {all + writes_begin_[first], all + writes_begin_[first + transactions.size()]};
}

std::span<const Op> Facts::writes_of(Txn t, Key k) const {
  const std::span<const Op> all = writes_of(t);
  const auto begin = std::partition_point(all.begin(), all.end(), [&](Op op) { return h.key(op) < k; });
  const auto end = std::partition_point(begin, all.end(), [&](Op op) { return h.key(op) == k; });
  return {begin, end};
}

const std::vector<Read>& Facts::reads_of(Txn t, Queries::Of queries) {
  reads_.clear();
  for (const Op op : h.operations_of(t)) {
    if (writes(h.kind(op))) continue;
    if (is_query(h.kind(op))) {
      for (const auto& [k, seen] : queries_->answers(op, queries))
        reads_.push_back(register_read(t, op, k, seen));
    } else {
      reads_.push_back(plain_read(t, op));
    }
  }
  return reads_;
}

void Facts::find_writers() {
  writers_ = Groups(h.versions(), [&](auto visit) {
    for (const Txn t : h.all_transactions()) {
      if (h.status(t) == Status::aborted) continue;
      for_each_write(t, [&](Op op, bool is_last) {
        if (is_last || h.kind(op) == OpKind::append) visit(h.version(op), t);
      });
    }
  });
}

bool Facts::is_candidate(const Read& read, Txn t) const {
  if (t == kInitialTxn) return covers(read.seen, h.initial_version(read.key));
  if (t == read.reader || h.status(t) == Status::aborted) return false;
  const std::span<const Op> all = writes_of(t, read.key);
  return !all.empty() && covers(read.seen, h.version(all.back()));
}

std::optional<Txn> Facts::only_candidate(const Read& read) const {
  std::optional<Txn> only;
  bool several = false;
  for_each_candidate(read, [&](Txn t) {
    several = only.has_value();
    only = t;
    return !several;
  });
  return several ? std::nullopt : only;
}

bool Facts::is_torn(const Read& read) const {
  std::set<Txn> done;
  for (auto at = read.list.begin(); at != read.list.end();) {
    const auto by = writers(*at);
    if (by.empty() || by[0] == read.reader || !done.insert(by[0]).second) return true;
    for (const Op op : writes_of(by[0], read.key)) {
      if (at == read.list.end() || *at != h.version(op)) return true;
      ++at;
    }
  }
  return false;
}

Txn Facts::transaction(std::string_view word) const {
  const std::uint64_t number = number_in(word);
  require(number < h.transactions(), "there is no such transaction");
  return Txn{static_cast<std::uint32_t>(number)};
}

Event Facts::event(std::string_view word) const {
  if (word == "init") return kInit;
  require(word.size() > 1 && (word[0] == 'b' || word[0] == 'c'), "an event was expected");
  return {transaction(word.substr(1)), word[0] == 'b'};
}

Key Facts::key(std::uint64_t number) const {
  require(number < h.keys(), "there is no such key");
  return Key{static_cast<std::uint32_t>(number)};
}

Read Facts::read(std::string_view word) const {
  const std::size_t dot = word.find('.'), slash = word.find('/');
  require(dot < slash, "an operation was expected");
  const Txn t = transaction(word.substr(0, dot));
  const std::uint64_t place = number_in(word.substr(dot + 1, slash - dot - 1));
  require(place < h.operations_of(t).size(), "there is no such operation");
  require_of(h.status(t) == Status::committed, t, "did not commit: its reads are no evidence");
  const Op op = h.operations_of(t)[static_cast<std::uint32_t>(place)];
  std::optional<Key> of;
  if (slash != std::string_view::npos) of = key(number_in(word.substr(slash + 1)));
  require(of.has_value() == (is_query(h.kind(op))), "a query, and only that, is of several keys");
  const std::optional<Seen> seen = of ? queries_->answer(op, *of) : std::nullopt;
  require(!writes(h.kind(op)) && of.has_value() == seen.has_value(),
          "that is no read, or it says nothing of that key");
  return of ? register_read(t, op, *of, *seen) : plain_read(t, op);
}

void Facts::require_of(bool condition, Txn t, const char* otherwise) const {
  if (condition) return;
  throw Rejected{"transaction " + show_(h.name(t)) + " of session " + show_(h.name(h.session_of(t))) + " " +
                 otherwise};
}

void Facts::require_of(bool condition, Txn reader, Key k, const char* otherwise) const {
  if (condition) return;
  require_of(false, reader, ("has a read of key " + show_(h.name(k)) + " that " + otherwise).c_str());
}

void Facts::find_lists() {
  for (const Op op : IdRange<Op>{0, h.operations()}) {
    if (h.kind(op) == OpKind::append || h.kind(op) == OpKind::list_read) is_list_[index(key(op))] = true;
  }
  std::vector<bool> appended(h.versions(), false);
  for (const Txn t : h.all_transactions()) {
    for (const Op op : h.operations_of(t)) {
      if (h.kind(op) >= OpKind::list_read || !is_list_[index(h.key(op))]) continue;
      const Version v = h.version(op);
      if (h.kind(op) == OpKind::append) {
        const bool counts = h.status(t) != Status::aborted;
        if (counts && appended[index(v)]) muddled_[index(h.key(op))] = true;
        if (counts) appended[index(v)] = true;
      } else if (h.kind(op) != OpKind::read || !h.is_initial(v)) {  // nothing is the empty list
        muddled_[index(h.key(op))] = true;
      }
    }
  }
}

std::span<const Op> Facts::own_writes(Txn t, Op before, Key k) const {
  const std::span<const Op> all = writes_of(t, k);
  return {all.begin(), std::lower_bound(all.begin(), all.end(), before)};
}

Read Facts::register_read(Txn t, Op op, Key k, Seen seen) const {
  const std::span<const Op> own = own_writes(t, op, k);
  const bool fits = own.empty() || covers(seen, h.version(own.back()));
  return {op, t, k, false, !own.empty(), fits, seen, {}};
}

Read Facts::list_read(Txn t, Op op) const {
  const std::span<const Op> own = own_writes(t, op, key(op));
  std::span<const Version> others = elements(op);
  bool fits = true;
  for (std::size_t i = own.size(); i-- > 0 && fits;) {
    fits = !others.empty() && others.back() == h.version(own[i]);
    if (fits) others = others.first(others.size() - 1);
  }
  return {op, t, key(op), true, !own.empty(), fits, {}, others};
}

Read Facts::plain_read(Txn t, Op op) const {
  if (is_list_[index(key(op))]) return list_read(t, op);
  return register_read(t, op, h.key(op), Seen{index(h.version(op))});
}

bool ended_before(const History& h, Txn first, Txn second, std::chrono::nanoseconds drift) {
  const auto end = h.status(first) == Status::committed ? h.end(first) : std::nullopt;
  const auto start = h.start(second);
  if (!end || !start || *end >= *start) return false;
  const std::uint64_t apart = static_cast<std::uint64_t>(*start) - static_cast<std::uint64_t>(*end);
  return apart > static_cast<std::uint64_t>(drift.count());
}

}  // namespace assay::verify
