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
  choose_columns();
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
  natures_.assign(h_.versions(), Nature::absent);
  for (const Key k : keys_) {
    for (const Version v : h_.versions_of(k)) {
      const std::uint8_t its = nature[index(v)];
      if (its == (kRow | kGone)) {
        leave_out("what a delete of " + name_of(k) +
                  " leaves is also a row: a query that did not return it may have seen either");
      }
      // Of a row that was loaded the value is not known, and with it whether it matches.
      if (its == kRow) natures_[index(v)] = h_.is_initial(v) ? Nature::unsure : Nature::row;
    }
  }
}

// Codes take room for each version, so only the columns that are asked for most have them.
void QueryPlan::choose_columns() {
  constexpr std::size_t kMostColumns = 8;
  std::map<Predicate::Column, std::uint64_t> uses;
  for (const Txn t : h_.all_transactions()) {
    if (h_.status(t) != Status::committed) continue;
    for (const Op op : h_.operations_of(t)) {
      if (h_.kind(op) != OpKind::predicate_read) continue;
      const auto predicate = Predicate::parse(*h_.query(op).predicate);
      if (!predicate) continue;
      for (const Condition& condition : predicate->conditions()) {
        for_each_column(condition, [&](std::uint32_t column) { ++uses[predicate->columns()[column]]; });
      }
    }
  }
  std::vector<std::pair<std::uint64_t, Predicate::Column>> most;
  most.reserve(uses.size());
  for (const auto& [column, times] : uses) most.emplace_back(times, column);
  std::sort(most.rbegin(), most.rend());
  if (most.size() > kMostColumns) most.resize(kMostColumns);
  for (const auto& [times, column] : most) columns_.emplace_back(column, ColumnCodes(h_, column, natures_));
}

std::optional<QueryPlan::Column> QueryPlan::column_named(const Predicate::Column& column) const {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i].first == column) return static_cast<Column>(i + 1);
  }
  return std::nullopt;
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
  Asked asked{op, 0, 0, 0, {0, static_cast<Code>(Nature::absent)}, 0, learned, std::nullopt};
  if (speaks_of_others && !learned) std::tie(asked.first, asked.last) = places_of(query, predicate);
  if (predicate) ask(asked, *predicate, query.predicate->text);
  take_results(asked, query, predicate.has_value(), speaks_of_others);
  if (speaks_of_others) asked_.push_back(asked);
}

// What it counts at its places.
void QueryPlan::ask(Asked& asked, const Predicate& predicate, std::string_view text) {
  asked.codes = {0, static_cast<Code>(Nature::unsure)};
  if (predicate.every_row()) return;
  const auto interval = predicate.interval();
  const auto column = interval ? column_named(predicate.columns()[interval->column]) : std::nullopt;
  if (column) {
    asked.column = *column;
    asked.codes = columns_[*column - 1].second.run_of(*interval);
    return;
  }
  const auto [known, is_new] = general_.try_emplace(text, static_cast<std::uint32_t>(generals_.size()));
  asked.condition = known->second;
  if (!is_new) return;
  General made{predicate, true, {}};
  CodedColumns columns;
  for (const Predicate::Column& one : predicate.columns()) {
    const auto number = column_named(one);
    columns.emplace_back(number.value_or(0), number ? &columns_[*number - 1].second : nullptr);
  }
  for (const Condition& condition : predicate.conditions()) {
    for_each_column(condition, [&](std::uint32_t one) { made.is_coded &= columns[one].second != nullptr; });
  }
  if (made.is_coded) {
    for (const Condition& condition : predicate.conditions())
      made.conditions.push_back(coded(condition, columns));
  }
  generals_.push_back(std::move(made));
}

bool QueryPlan::meets(std::uint32_t condition, Version v) const {
  if (natures_[index(v)] != Nature::row) return false;
  const General& general = generals_[condition];
  if (!general.is_coded) return general.plain.matches(h_.name(h_.key_of(v)), h_.value(v));
  const auto truth_of = [&](const CodedCondition& one) {
    const Code code = code_of(one.column, v);
    return one.meet.has(code) ? Truth::yes : one.known.has(code) ? Truth::no : Truth::unknown;
  };
  return std::all_of(general.conditions.begin(), general.conditions.end(),
                     [&](const CodedCondition& one) { return evaluate(one, truth_of) == Truth::yes; });
}

void QueryPlan::take_results(Asked& asked, const Query& query, bool has_predicate, bool speaks_of_others) {
  std::uint32_t loaded_returned = 0;
  const std::uint32_t mark = index(asked.query) + 1;
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
    if (asked.learned) {
      if (counts(asked, v)) ++asked.expected;
      continue;
    }
    if (place < asked.first || place >= asked.last) {
      leave_out("a query returned " + name_of(k) + ", for which it did not ask");
      continue;
    }
    if (is_loaded_[index(k)]) ++loaded_returned;
    if (counts(asked, v)) {
      ++asked.expected;
    } else if (has_predicate && natures_[index(v)] != Nature::unsure) {
      leave_out("a query returned a row of " + name_of(k) + " that does not match it");
    }
  }
  if (speaks_of_others && has_predicate &&
      loaded_before_[asked.last] - loaded_before_[asked.first] > loaded_returned) {
    leave_out("the value of a row before the first transaction is not known, and a predicate asks for it");
  }
}

}  // namespace assay::check
