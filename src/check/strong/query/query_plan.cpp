#include "check/strong/query/query_plan.hpp"

#include <algorithm>
#include <optional>

#include "history/key_order.hpp"
#include "history/query.hpp"

namespace assay::check {

namespace {

constexpr std::uint8_t kRow = 1, kGone = 2;

}  // namespace

QueryPlan::QueryPlan(const History& history) : h_(history), learned_(history) {
  learn_versions();
  sort_keys();
  last_query_.assign(h_.keys(), 0);
  for (const Txn t : h_.all_transactions()) {
    if (h_.status(t) != Status::committed) continue;  // of others reads prove nothing
    for (const Op op : h_.operations_of(t)) {
      if (is_query(h_, op)) take(op);
    }
  }
  last_query_ = {};
}

std::span<const QueryPlan::Asked> QueryPlan::asked_by(Txn t) const {
  const IdRange<Op> ops = h_.operations_of(t);
  if (ops.size() == 0) return {};
  const auto first = std::partition_point(asked_.begin(), asked_.end(),
                                          [&](const Asked& asked) { return asked.query < ops[0]; });
  const auto last = std::partition_point(
      first, asked_.end(), [&](const Asked& asked) { return asked.query <= ops[ops.size() - 1]; });
  return {first, last};
}

// A version is a row if a write or an insert left it, and no row if a delete did. What was there before the
// first transaction is a row if the history says so, or if a query returned it.
void QueryPlan::learn_versions() {
  is_list_.assign(h_.keys(), false);
  is_loaded_.assign(h_.keys(), false);
  std::vector<bool> is_written(h_.keys(), false);
  std::vector<std::uint8_t> nature(h_.versions(), 0);
  for (std::uint32_t k = 0; k < h_.keys(); ++k) is_loaded_[k] = h_.initial_is_row(Key{k});
  for (const Txn t : h_.all_transactions()) {
    for (const Op op : h_.operations_of(t)) {
      const OpKind kind = h_.kind(op);
      if (writes(kind)) is_written[index(h_.key(op))] = true;
      if (kind == OpKind::append) is_list_[index(h_.key(op))] = true;
      if (kind == OpKind::list_read) is_list_[index(h_.list(op).key)] = true;
      if (kind == OpKind::write || kind == OpKind::insert) nature[index(h_.version(op))] |= kRow;
      if (kind == OpKind::erase) nature[index(h_.version(op))] |= kGone;
      if (!is_query(h_, op) || h_.status(t) != Status::committed) continue;
      for (const Version v : h_.query(op).results) {
        if (h_.is_initial(v)) is_loaded_[index(h_.key_of(v))] = true;
      }
    }
  }
  for (std::uint32_t k = 0; k < h_.keys(); ++k) {
    nature[index(h_.initial_version(Key{k}))] |= is_loaded_[k] ? kRow : kGone;
    const bool says_something = is_written[k] || h_.versions_of(Key{k}).size() > 1 || is_loaded_[k];
    if (says_something && !is_list_[k]) keys_.push_back(Key{k});
  }
  rank_numbers();
  code_.assign(h_.versions(), absent_);
  for (const Key k : keys_) {
    for (const Version v : h_.versions_of(k)) {
      const std::uint8_t its = nature[index(v)];
      if (its == (kRow | kGone)) {
        leave_out("what a delete of " + name_of(k) +
                  " leaves is also a row: a query that did not return it may have seen either");
      }
      if (its != kRow) continue;
      // Of a row that was loaded the value is not known, and with it whether it matches.
      if (h_.is_initial(v)) {
        code_[index(v)] = unsure_;
        continue;
      }
      const std::optional<std::int64_t> number = shown_number(h_.value(v));
      code_[index(v)] = number
                            ? static_cast<Code>(std::lower_bound(numbers_.begin(), numbers_.end(), *number) -
                                                numbers_.begin())
                            : no_number_;
    }
  }
}

void QueryPlan::rank_numbers() {
  for (const Key k : keys_) {
    for (const Version v : h_.versions_of(k)) {
      if (h_.is_initial(v)) continue;
      if (const auto number = shown_number(h_.value(v))) numbers_.push_back(*number);
    }
  }
  std::sort(numbers_.begin(), numbers_.end());
  numbers_.erase(std::unique(numbers_.begin(), numbers_.end()), numbers_.end());
  numbers_.shrink_to_fit();
  no_number_ = static_cast<Code>(numbers_.size());
  unsure_ = no_number_ + 1;
  absent_ = unsure_ + 1;
}

void QueryPlan::sort_keys() {
  std::sort(keys_.begin(), keys_.end(), [&](Key a, Key b) { return key_before(h_.name(a), h_.name(b)); });
  place_.assign(h_.keys(), kNoPlace);
  loaded_before_.assign(keys_.size() + 1, 0);
  for (Place at = 0; at < places(); ++at) {
    place_[index(keys_[at])] = at;
    loaded_before_[at + std::size_t{1}] = loaded_before_[at] + (is_loaded_[index(keys_[at])] ? 1U : 0U);
  }
}

std::pair<QueryPlan::Place, QueryPlan::Place> QueryPlan::places_of(
    const Query& query, const std::optional<Predicate>& predicate) const {
  const auto first_where = [&](auto is_past) {
    return static_cast<Place>(
        std::partition_point(keys_.begin(), keys_.end(), [&](Key k) { return !is_past(h_.name(k)); }) -
        keys_.begin());
  };
  if (predicate) {
    return {first_where([&](const Atom& key) { return predicate->side_of(key) >= 0; }),
            first_where([&](const Atom& key) { return predicate->side_of(key) > 0; })};
  }
  // A bound says nothing of keys of another sort.
  const auto sort_ends = [&](const Atom& bound) {
    return first_where([&](const Atom& key) { return sort_of_key(key) > sort_of_key(bound); });
  };
  const auto sort_begins = [&](const Atom& bound) {
    return first_where([&](const Atom& key) { return sort_of_key(key) >= sort_of_key(bound); });
  };
  Place first = 0, last = places();
  if (query.low) {
    first = first_where([&](const Atom& key) { return !key_before(key, *query.low); });
    last = sort_ends(*query.low);
  }
  if (query.high) {
    if (!query.low) first = sort_begins(*query.high);
    last = std::min(last, first_where([&](const Atom& key) { return key_before(*query.high, key); }));
  }
  return {first, std::max(first, last)};
}

void QueryPlan::take(Op op) {
  const Query query = h_.query(op);
  // What it did not return says something.
  bool speaks_of_others = h_.kind(op) != OpKind::rows_read;
  std::optional<Predicate> predicate;
  const auto learned = learned_.number_of(query);
  if (query.predicate && !learned) {
    predicate = Predicate::parse(*query.predicate);
    if (!predicate) {
      speaks_of_others = false;
      leave_out("the meaning of the predicate " + to_json(*query.predicate) +
                " is not known (docs/formats.md lists what is): rows that it did not return prove nothing");
    }
  }
  Asked asked{op, 0, 0, 0, absent_, 0, learned};
  if (speaks_of_others && !learned) std::tie(asked.first, asked.last) = places_of(query, predicate);
  if (predicate) {
    asked.high = unsure_;
    if (const auto range = predicate->numbers()) {
      const auto rank = [&](auto at) { return static_cast<Code>(at - numbers_.begin()); };
      asked.low = rank(std::lower_bound(numbers_.begin(), numbers_.end(), range->low));
      asked.high = rank(std::upper_bound(numbers_.begin(), numbers_.end(), range->high));
      asked.high = std::max(asked.low, asked.high);
    }
  }
  std::uint32_t loaded_returned = 0;
  const std::uint32_t mark = index(op) + 1;
  for (const Version v : query.results) {
    const Key k = h_.key_of(v);
    const Place place = place_of(k);
    if (is_list_[index(k)]) {
      leave_out("a query returned " + name_of(k) + ", which is a list");
      continue;
    }
    if (last_query_[index(k)] == mark) {
      leave_out("a query returned " + name_of(k) + " twice");
      continue;
    }
    last_query_[index(k)] = mark;
    if (!speaks_of_others) continue;
    if (learned) {
      if (learned_.matches(*learned, v)) ++asked.expected;
      continue;
    }
    if (place < asked.first || place >= asked.last) {
      leave_out("a query returned " + name_of(k) + ", for which it did not ask");
      continue;
    }
    if (is_loaded_[index(k)]) ++loaded_returned;
    if (asked.counts(code_of(v))) {
      ++asked.expected;
    } else if (predicate && code_of(v) != unsure_) {
      leave_out("a query returned a row of " + name_of(k) + " that does not match it");
    }
  }
  if (!speaks_of_others) return;
  if (predicate && loaded_before_[asked.last] - loaded_before_[asked.first] > loaded_returned) {
    leave_out("the value of a row before the first transaction is not known, and a predicate asks for it");
  }
  asked_.push_back(asked);
}

}  // namespace assay::check
