#include "check/expand.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>

#include "check/learned_predicates.hpp"
#include "history/builder.hpp"
#include "history/key_order.hpp"
#include "history/predicate.hpp"
#include "history/rebuild.hpp"

namespace assay::check {

namespace {

// What a version is to a query.
struct Nature {
  bool row = false;     // a write or insert left it, or a query returned it
  bool absent = false;  // a delete left it, or it is the initial version and no row
};

class Expansion {
 public:
  Expansion(const History& history, NotReturned not_returned, std::uint64_t most)
      : h_(history),
        not_returned_(not_returned),
        most_(most),
        learned_(history),
        not_learned_(learned_.count()),
        rebuild_(history, build_) {
    learn_natures();
    sort_keys();
    shown_.assign(h_.keys(), kNotShown);
  }

  // Restricts what is said of queries (expand_queries_among).
  void only_among(std::span<const Txn> transactions, std::optional<Key> also) {
    asks_.assign(h_.transactions(), false);
    among_.emplace(h_.keys());
    for (const Txn t : transactions) {
      asks_[index(t)] = true;
      for (const Op op : h_.operations_of(t)) {
        if (writes(h_.kind(op))) (*among_)[index(h_.key(op))].push_back(h_.version(op));
      }
    }
    for (std::uint32_t k = 0; k < h_.keys(); ++k) (*among_)[k].push_back(h_.initial_version(Key{k}));
    also_ = also;
  }

  // Nothing if there would be too many reads.
  std::optional<Expanded> run() {
    build_.clocks(h_.clocks());
    build_.source(h_.path(), h_.format());
    for (std::uint32_t k = 0; k < h_.keys(); ++k) build_.key(h_.name(Key{k}));
    for (std::uint32_t s = 0; s < h_.sessions(); ++s) build_.session(h_.name(Session{s}));
    for (const Txn t : h_.all_transactions()) {
      build_.begin(build_.session(h_.name(h_.session_of(t))), h_.name(t));
      for (const Op op : h_.operations_of(t)) {
        const OpKind kind = h_.kind(op);
        if (!is_query(kind)) {
          rebuild_.operation(op, [this](Version v) { return h_.is_initial(v); });
          made(op, false);
        } else if (h_.status(t) == Status::committed &&  // of others reads prove nothing
                   (asks_.empty() || asks_[index(t)])) {
          query(op);
          if (spent_ > most_) return std::nullopt;
        }
      }
      build_.end(h_.status(t), h_.start(t), h_.end(t));
    }
    build_.left_out(std::move(left_out_));
    expanded_.history = build_.finish();
    return std::move(expanded_);
  }

 private:
  static constexpr std::uint32_t kNotShown = 0xFFFFFFFFU;

  void leave_out(std::string why) {
    if (left_out_.empty()) left_out_ = std::move(why);
  }
  std::string key_name(Key k) const { return "key " + to_string(h_.name(k)); }

  void learn_natures() {
    natures_.assign(h_.versions(), {});
    is_list_.assign(h_.keys(), false);
    is_written_.assign(h_.keys(), false);
    std::vector<bool> loaded(h_.keys(), false);
    for (const Txn t : h_.all_transactions()) {
      for (const Op op : h_.operations_of(t)) {
        if (writes(h_.kind(op))) is_written_[index(h_.key(op))] = true;
        switch (h_.kind(op)) {
          case OpKind::read:
            break;
          case OpKind::write:
          case OpKind::insert:
            natures_[index(h_.version(op))].row = true;
            break;
          case OpKind::erase:
            natures_[index(h_.version(op))].absent = true;
            break;
          case OpKind::append:
            is_list_[index(h_.key(op))] = true;
            break;
          case OpKind::list_read:
            is_list_[index(h_.list(op).key)] = true;
            break;
          case OpKind::predicate_read:
          case OpKind::range_read:
          case OpKind::rows_read:
            if (h_.status(t) != Status::committed) break;
            for (const Version v : h_.query(op).results) {
              if (h_.is_initial(v)) loaded[index(h_.key_of(v))] = true;
            }
        }
      }
    }
    for (std::uint32_t k = 0; k < h_.keys(); ++k) {
      Nature& initial = natures_[index(h_.initial_version(Key{k}))];
      (h_.initial_is_row(Key{k}) || loaded[k] ? initial.row : initial.absent) = true;
    }
    for (std::uint32_t v = 0; v < h_.versions(); ++v) {
      if (natures_[v].row && natures_[v].absent && !is_list_[index(h_.key_of(Version{v}))]) {
        leave_out("what a delete of " + key_name(h_.key_of(Version{v})) +
                  " leaves is also a row: a query that did not return it may have seen either");
      }
    }
  }

  // Only keys of which a query can say anything: no lists, and somebody wrote them or they were there. A key
  // that was only ever deleted is one of them: who did not see it may have read what a delete left, and at
  // writes-follow-reads it matters from whom.
  void sort_keys() {
    for (std::uint32_t k = 0; k < h_.keys(); ++k) {
      const bool says_something = is_written_[k] || h_.versions_of(Key{k}).size() > 1 ||
                                  natures_[index(h_.initial_version(Key{k}))].row;
      if (says_something && !is_list_[k]) sorted_[sort_of(h_.name(Key{k}))].push_back(Key{k});
    }
    for (std::vector<Key>& keys : sorted_) {
      std::sort(keys.begin(), keys.end(), [&](Key a, Key b) { return key_less(h_.name(a), h_.name(b)); });
    }
  }
  static std::size_t sort_of(const Atom& key) {
    return key.kind == AtomKind::text ? 1 : key.kind == AtomKind::json ? 2 : 0;
  }

  void query(Op op) {
    const Query query = h_.query(op);
    first_of_query_ = true;
    for (const Version v : query.results) note_row(op, v);
    if (h_.kind(op) == OpKind::rows_read) {
      rows(query, op);
    } else if (const auto number = learned_.number_of(query)) {
      learned(op, query, *number);
    } else if (query.predicate) {
      predicate(op, query);
    } else {
      range(op, query);
    }
    // Rows that the query did not ask for come last.
    for (const Version v : query.results) {
      if (shown_[index(h_.key_of(v))] != index(v)) continue;
      read_row(op, v);
      leave_out("a query returned " + key_name(h_.key_of(v)) + ", for which it did not ask");
    }
  }
  void rows(const Query& query, Op op) {
    for (const Version v : query.results) {
      if (shown_[index(h_.key_of(v))] == index(v)) read_row(op, v);
    }
  }
  void note_row(Op, Version v) {
    const Key k = h_.key_of(v);
    if (is_list_[index(k)]) return leave_out("a query returned " + key_name(k) + ", which is a list");
    std::uint32_t& shown = shown_[index(k)];
    if (shown != kNotShown && shown != index(v)) leave_out("a query returned " + key_name(k) + " twice");
    if (shown == kNotShown) shown = index(v);
  }
  // REQUIRES: the row is noted.
  void read_row(Op op, Version v) {
    const Key k = h_.key_of(v);
    shown_[index(k)] = kNotShown;
    h_.is_initial(v) ? build_.read_initial(h_.name(k)) : build_.read(h_.name(k), h_.value(v));
    made_by_query(op, false);
  }

  // Where only a few transactions matter, a key matters only if one of them, or nobody, left a version of it
  // that the query would have returned. `is_other(version)`: it would not.
  template <class IsOther>
  bool says_what_is_missing(Key k, IsOther is_other) const {
    if (not_returned_ != NotReturned::is_read) return false;
    if (!among_ || k == also_) return true;
    const std::vector<Version>& left = (*among_)[index(k)];
    return !std::all_of(left.begin(), left.end(), is_other);
  }
  bool is_absent(Version v) const { return natures_[index(v)].absent; }
  bool is_no_match(const Predicate& predicate, Version v) const {
    return is_absent(v) || (h_.is_initial(v) && natures_[index(v)].row) || !matches(predicate, v);
  }

  void range(Op op, const Query& query) {
    for (std::size_t sort = 0; sort < sorted_.size(); ++sort) {
      const std::vector<Key>& keys = sorted_[sort];
      if ((query.low && sort_of(*query.low) != sort) || (query.high && sort_of(*query.high) != sort))
        continue;
      auto at = keys.begin();
      if (query.low) {
        at = std::lower_bound(keys.begin(), keys.end(), *query.low,
                              [&](Key k, const Atom& low) { return key_less(h_.name(k), low); });
      }
      for (; at != keys.end(); ++at) {
        if (query.high && key_less(*query.high, h_.name(*at))) break;
        const std::uint32_t shown = shown_[index(*at)];
        if (shown != kNotShown) {
          read_row(op, Version{shown});
        } else if (says_what_is_missing(*at, [&](Version v) { return is_absent(v); })) {
          read_absent(op, *at);
        }
        if (spent_ > most_) return;
      }
    }
  }

  void predicate(Op op, const Query& query) {
    auto known = predicates_.find(to_json(*query.predicate));
    if (known == predicates_.end()) {
      known =
          predicates_.emplace(to_json(*query.predicate), Known{Predicate::parse(*query.predicate), {}}).first;
    }
    Known& predicate = known->second;
    if (!predicate.meaning) {
      leave_out("the meaning of the predicate " + known->first +
                " is not known (docs/formats.md lists what is): rows that it did not return prove nothing");
    }
    for (const std::vector<Key>& keys : sorted_) {
      for (const Key k : keys) {
        if (predicate.meaning && !predicate.meaning->allows_key(h_.name(k))) continue;
        const std::uint32_t shown = shown_[index(k)];
        if (shown != kNotShown) {
          read_row(op, Version{shown});
          if (predicate.meaning && !matches(*predicate.meaning, Version{shown})) {
            leave_out("a query returned a row of " + key_name(k) + " that does not match it");
          }
        } else if (predicate.meaning &&
                   says_what_is_missing(k, [&](Version v) { return is_no_match(*predicate.meaning, v); })) {
          read_not_matching(op, k, predicate);
        }
        if (spent_ > most_) return;
      }
    }
  }

  // Each key of which the predicate is known to match a version; of any other it says nothing.
  void learned(Op op, const Query& query, LearnedPredicates::Number number) {
    if (not_returned_ == NotReturned::is_read) miss_learned(op, number);
    rows(query, op);
  }
  void miss_learned(Op op, LearnedPredicates::Number number) {
    const auto is_no_match = [&](Version v) { return !learned_.matches(number, v); };
    std::optional<Key> last;
    for (const Version matching : learned_.matching(number)) {
      const Key k = h_.key_of(matching);
      if (k == last || is_list_[index(k)]) continue;
      last = k;
      if (shown_[index(k)] != kNotShown || !says_what_is_missing(k, is_no_match)) continue;
      const auto [at, fresh] = not_learned_[number].try_emplace(index(k));
      if (fresh) {
        for (const Version v : h_.versions_of(k)) {
          if (is_no_match(v)) at->second.versions.push_back(v);
        }
        name_set(k, at->second);
      }
      read_one_of(op, k, at->second);
      if (spent_ > most_) return;
    }
  }

  struct Seen {
    std::vector<Version> versions;
    std::optional<HistoryBuilder::VersionSet> set;  // if there are two or more, or none
  };
  struct Known {
    std::optional<Predicate> meaning;
    std::unordered_map<std::uint32_t, Seen> not_matching;  // per key
  };

  // Of a loaded row the value is not known, and with it whether it matches.
  bool matches(const Predicate& predicate, Version v) const {
    if (h_.is_initial(v)) return natures_[index(v)].row;
    return natures_[index(v)].row && predicate.matches(h_.name(h_.key_of(v)), h_.value(v));
  }

  void read_absent(Op op, Key k) {
    const auto [at, fresh] = absent_.try_emplace(index(k));
    if (fresh) {
      for (const Version v : h_.versions_of(k)) {
        if (natures_[index(v)].absent) at->second.versions.push_back(v);
      }
      name_set(k, at->second);
    }
    read_one_of(op, k, at->second);
  }
  void read_not_matching(Op op, Key k, Known& predicate) {
    const auto [at, fresh] = predicate.not_matching.try_emplace(index(k));
    if (fresh) {
      for (const Version v : h_.versions_of(k)) {
        if (h_.is_initial(v) && natures_[index(v)].row) {
          leave_out("the value of " + key_name(k) + " before the first transaction is not known, and a " +
                    "predicate asks for it");
          at->second.versions.push_back(v);
        } else if (natures_[index(v)].absent || !matches(*predicate.meaning, v)) {
          at->second.versions.push_back(v);
        }
      }
      name_set(k, at->second);
    }
    read_one_of(op, k, at->second);
  }
  void name_set(Key k, Seen& seen) {
    if (seen.versions.size() == 1) return;
    members_.clear();
    for (const Version v : seen.versions) {
      members_.push_back(h_.is_initial(v) ? std::nullopt : std::optional(h_.value(v)));
    }
    spent_ += members_.size();
    seen.set = build_.version_set(h_.name(k), members_);
    seen.versions = {};
  }
  void read_one_of(Op op, Key k, const Seen& seen) {
    if (seen.set) {
      build_.read_one_of(*seen.set);
    } else {
      const Version v = seen.versions.front();
      h_.is_initial(v) ? build_.read_initial(h_.name(k)) : build_.read(h_.name(k), h_.value(v));
    }
    made_by_query(op, true);
  }

  void made(Op op, bool of_absent) {
    expanded_.operations.push_back(op);
    expanded_.of_absent.push_back(of_absent);
  }
  void made_by_query(Op op, bool of_absent) {
    if (!first_of_query_) build_.same_moment();
    first_of_query_ = false;
    ++spent_;
    made(op, of_absent);
  }

  const History& h_;
  const NotReturned not_returned_;
  const std::uint64_t most_;
  const LearnedPredicates learned_;
  std::vector<std::unordered_map<std::uint32_t, Seen>> not_learned_;  // per learned predicate and key
  HistoryBuilder build_;
  Rebuild rebuild_;
  Expanded expanded_;
  std::string left_out_;
  std::uint64_t spent_ = 0;
  bool first_of_query_ = true;
  std::vector<Nature> natures_;             // per version
  std::vector<bool> is_list_, is_written_;  // per key
  std::vector<bool> asks_;                  // per transaction; empty: all do
  std::optional<std::vector<std::vector<Version>>>
      among_;  // per key: what those that matter, or nobody, left
  std::optional<Key> also_;
  std::array<std::vector<Key>, 3> sorted_;          // numbers, texts, other JSON values
  std::vector<std::uint32_t> shown_;                // per key: what the current query returned of it
  std::unordered_map<std::uint32_t, Seen> absent_;  // per key
  std::map<std::string, Known> predicates_;
  std::vector<std::optional<Atom>> members_;
};

}  // namespace

std::uint64_t most_expanded_reads(std::size_t memory_bytes) {
  constexpr std::size_t kBytesPerRead = 64;
  return std::min<std::uint64_t>(kMostExpandedReads, memory_bytes / kBytesPerRead);
}

void speak_of_the_original(BadRead& bad, const Expanded& expanded) {
  const History& h = expanded.history;
  const auto& original = expanded.operations;
  if (h.kind(bad.read) == OpKind::read) bad.row = h.key(bad.read);
  bad.read = original[index(bad.read)];
  bad.write = original[index(bad.write)];
}

Expanded expand_queries(const History& history, NotReturned not_returned, std::uint64_t most) {
  if (auto all = Expansion(history, not_returned, most).run()) return std::move(*all);
  Expanded rows = *Expansion(history, NotReturned::says_nothing, UINT64_MAX).run();
  rows.history = HistoryBuilder::with_left_out(
      std::move(rows.history),
      "its queries ask for so many keys that what they did not return would be more than " +
          std::to_string(most) + " reads");
  return rows;
}

Expanded expand_queries_among(const History& history, std::span<const Txn> transactions,
                              std::optional<Key> also) {
  Expansion expansion(history, NotReturned::is_read, UINT64_MAX);
  expansion.only_among(transactions, also);
  return std::move(*expansion.run());
}

}  // namespace assay::check
