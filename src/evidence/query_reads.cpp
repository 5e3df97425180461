#include "evidence/query_reads.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "history/builder.hpp"
#include "history/key_order.hpp"
#include "history/predicate.hpp"
#include "history/rebuild.hpp"

namespace assay::evidence {

namespace {

constexpr std::uint64_t kMostReads = 100'000'000;

class Taker {
 public:
  Taker(const History& history, bool not_returned_counts)
      : h_(history), counts_(not_returned_counts), rebuild_(history, build_) {
    for (std::uint32_t v = 0; v < h_.versions(); ++v) {
      is_row_.push_back(h_.is_initial(Version{v}) && h_.initial_is_row(h_.key_of(Version{v})));
      is_gone_.push_back(h_.is_initial(Version{v}) && !is_row_[v]);
    }
    std::vector<bool> erased(h_.versions(), false);
    for (const Op op : IdRange<Op>{0, h_.operations()}) {
      if (h_.kind(op) == OpKind::erase) erased[index(h_.version(op))] = true;
    }
    std::vector<bool> used(h_.keys(), false), list(h_.keys(), false);
    for (const Op op : IdRange<Op>{0, h_.operations()}) {
      const OpKind kind = h_.kind(op);
      if (kind == OpKind::list_read) list[index(h_.list(op).key)] = true;
      if (kind == OpKind::append) list[index(h_.key(op))] = true;
      if (kind == OpKind::write || kind == OpKind::insert) is_row_[index(h_.version(op))] = true;
      if (kind == OpKind::erase) is_gone_[index(h_.version(op))] = true;
      if (kind < OpKind::list_read) used[index(h_.key(op))] = true;
      if (kind < OpKind::predicate_read) continue;
      for (const Version v : h_.query(op).results) {
        used[index(h_.key_of(v))] = true;
        if (!h_.is_initial(v) || h_.status(h_.transaction_of(op)) != Status::committed) continue;
        is_row_[index(v)] = true;
        is_gone_[index(v)] = erased[index(v)];
      }
    }
    for (std::uint32_t k = 0; k < h_.keys(); ++k) {
      if (list[k] || !used[k]) continue;
      keys_.push_back(Key{k});
      for (const Version v : h_.versions_of(Key{k})) {
        if (is_row_[index(v)] && is_gone_[index(v)]) unclear("a version is a row and the absence of one");
      }
    }
    std::sort(keys_.begin(), keys_.end(), [&](Key a, Key b) {
      const Atom x = h_.name(a), y = h_.name(b);
      return comparable(x, y) ? key_less(x, y) : sort_of(x) < sort_of(y);
    });
  }

  QueryReads take() {
    build_.clocks(h_.clocks());
    for (std::uint32_t k = 0; k < h_.keys(); ++k) build_.key(h_.name(Key{k}));
    for (std::uint32_t s = 0; s < h_.sessions(); ++s) build_.session(h_.name(Session{s}));
    for (const Txn t : h_.all_transactions()) {
      build_.begin(build_.session(h_.name(h_.session_of(t))), h_.name(t));
      for (const Op op : h_.operations_of(t)) {
        if (h_.kind(op) < OpKind::predicate_read) {
          rebuild_.operation(op, [&](Version v) { return h_.is_initial(v); });
          taken_.operations.push_back(op);
        } else if (h_.status(t) == Status::committed) {
          take(op);
        }
      }
      build_.end(h_.status(t), h_.start(t), h_.end(t));
    }
    build_.left_out(unclear_);
    taken_.history = build_.finish();
    return std::move(taken_);
  }

 private:
  static int sort_of(const Atom& a) {
    return a.kind == AtomKind::text ? 1 : a.kind == AtomKind::json ? 2 : 0;
  }
  void unclear(const char* why) {
    unclear_ = std::string("the queries of the history are not clear: ") + why;
  }

  void take(Op op) {
    const Query query = h_.query(op);
    std::optional<Predicate> predicate;
    if (query.predicate) {
      predicate = Predicate::parse(*query.predicate);
      if (!predicate) unclear("there is a predicate whose meaning is not known");
    }
    std::map<Key, Version> returned;
    for (const Version v : query.results) {
      if (!returned.emplace(h_.key_of(v), v).second) unclear("one returned a key twice");
    }
    const std::size_t first = taken_.operations.size();
    auto at = keys_.begin();
    if (query.low) {
      at = std::partition_point(keys_.begin(), keys_.end(), [&](Key k) {
        const Atom name = h_.name(k);
        return comparable(name, *query.low) ? key_less(name, *query.low)
                                            : sort_of(name) < sort_of(*query.low);
      });
    }
    for (; at != keys_.end(); ++at) {
      const Atom name = h_.name(*at);
      if (query.high && sort_of(name) > sort_of(*query.high)) break;
      if (query.high && comparable(name, *query.high) && key_less(*query.high, name)) break;
      if (!query.predicate && !in_range(name, query.low, query.high)) continue;
      const auto row = returned.find(*at);
      if (row != returned.end()) {
        read(op, first, row->second);
        if (predicate && !(predicate->allows_key(name) && may_match(*predicate, row->second))) {
          unclear("one returned a row that does not match");
        }
        returned.erase(row);
      } else if (counts_ && (!query.predicate || (predicate && predicate->allows_key(name)))) {
        miss(op, first, *at, predicate ? to_json(*query.predicate) : std::string(), predicate);
      }
    }
    for (const auto& [k, v] : returned) {
      unclear("one returned a row for which it did not ask");
      read(op, first, v);
    }
  }

  bool may_match(const Predicate& predicate, Version v) const {
    return is_row_[index(v)] && (h_.is_initial(v) || predicate.allows_value(h_.value(v)));
  }

  void read(Op op, std::size_t first, Version v) {
    const Atom key = h_.name(h_.key_of(v));
    h_.is_initial(v) ? build_.read_initial(key) : build_.read(key, h_.value(v));
    made(op, first);
  }

  // Without a predicate `text` is empty.
  void miss(Op op, std::size_t first, Key k, const std::string& text,
            const std::optional<Predicate>& predicate) {
    auto known = unseen_.find({text, k});
    if (known == unseen_.end()) {
      std::vector<std::optional<Atom>> members;
      for (const Version v : h_.versions_of(k)) {
        const bool loaded = h_.is_initial(v) && is_row_[index(v)];
        if (predicate && loaded) unclear("a predicate asks for a value from before the first transaction");
        if (!is_gone_[index(v)] && !(predicate && (loaded || !may_match(*predicate, v)))) continue;
        members.push_back(h_.is_initial(v) ? std::nullopt : std::optional(h_.value(v)));
      }
      known = unseen_.emplace(std::pair(text, k), build_.version_set(h_.name(k), members)).first;
    }
    build_.read_one_of(known->second);
    made(op, first);
  }

  void made(Op op, std::size_t first) {
    if (taken_.operations.size() > first) build_.same_moment();
    taken_.operations.push_back(op);
    if (taken_.operations.size() > kMostReads) {
      unclear("they ask for too many keys");
      counts_ = false;
    }
  }

  const History& h_;
  bool counts_;
  HistoryBuilder build_;
  Rebuild rebuild_;
  QueryReads taken_;
  std::string unclear_;
  std::vector<bool> is_row_, is_gone_;  // per version
  std::vector<Key> keys_;               // in the order of ranges
  std::map<std::pair<std::string, Key>, HistoryBuilder::VersionSet> unseen_;
};

}  // namespace

std::optional<Op> QueryReads::read_of(Op original, Key k) const {
  const auto [first, last] = std::equal_range(operations.begin(), operations.end(), original);
  for (auto at = first; at != last; ++at) {
    const Op op{static_cast<std::uint32_t>(at - operations.begin())};
    if (history.kind(op) == OpKind::read && history.key(op) == k) return op;
  }
  return std::nullopt;
}

Op QueryReads::only(Op original) const {
  const auto at = std::lower_bound(operations.begin(), operations.end(), original);
  return Op{static_cast<std::uint32_t>(at - operations.begin())};
}

QueryReads take_queries_apart(const History& history, Level level) {
  return Taker(history, level != Level::repeatable_read).take();
}

}  // namespace assay::evidence
