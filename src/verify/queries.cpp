#include "verify/queries.hpp"

#include <tuple>

#include "history/key_order.hpp"

namespace assay::verify {

Queries::Queries(const History& history, Level level, const std::vector<bool>& is_list)
    : h_(history), misses_count_(level != Level::repeatable_read), is_list_(is_list) {
  if (!h_.has_queries()) return;
  look_at_versions();
  for (const Op op : IdRange<Op>{0, h_.operations()}) {
    if (h_.kind(op) == OpKind::predicate_read) learn(op);
  }
  for (auto& [predicate, known] : learned_) {
    std::sort(known.begin(), known.end());
    known.erase(std::unique(known.begin(), known.end()), known.end());
  }
  for (const Txn t : h_.all_transactions()) {
    for (const Op op : h_.operations_of(t)) {
      if (is_query(h_.kind(op)) && h_.status(t) == Status::committed) take(op);
    }
  }
}

const Queries::Asked* Queries::find(Op query) const {
  const auto at = std::partition_point(asked_.begin(), asked_.end(),
                                       [&](const Asked& asked) { return asked.query < query; });
  return at == asked_.end() || at->query != query ? nullptr : &*at;
}

std::vector<Queries::Answer> Queries::answers(Op query, Of what) const {
  const Asked* const asked = find(query);
  if (asked == nullptr) return {};
  std::vector<Answer> found;
  for (const Version v : h_.query(query).results) {
    if (!is_list_[index(h_.key_of(v))]) found.push_back({h_.key_of(v), Seen{index(v)}});
  }
  const auto by_key = [](const Answer& a, const Answer& b) { return a.key < b.key; };
  std::stable_sort(found.begin(), found.end(), by_key);
  const auto same = [](const Answer& a, const Answer& b) { return a.key == b.key; };
  found.erase(std::unique(found.begin(), found.end(), same), found.end());
  if (what == Of::returned_rows || !asked->says_all) return found;
  const std::size_t rows = found.size();
  const auto look_for = [&](Key k) {
    const Answer missing{k, {}};
    const auto end = found.begin() + static_cast<std::ptrdiff_t>(rows);
    if (std::binary_search(found.begin(), end, missing, by_key)) return;
    if (found.size() == rows || found.back().key != k) found.push_back({k, not_returned(*asked, k)});
  };
  for (std::uint32_t place = asked->first; place < asked->last; ++place) look_for(keys_[place]);
  if (const auto* const known = learned(asked->predicate)) {
    for (const Version v : *known) {
      if (!is_list_[index(h_.key_of(v))]) look_for(h_.key_of(v));
    }
  }
  std::sort(found.begin(), found.end(), by_key);
  return found;
}

std::optional<Seen> Queries::answer(Op query, Key k) const {
  const Asked* const asked = find(query);
  if (asked == nullptr || is_list_[index(k)]) return std::nullopt;
  for (const Version v : h_.query(query).results) {
    if (h_.key_of(v) == k) return Seen{index(v)};
  }
  if (!asked->says_all || !is_asked_for(*asked, k)) return std::nullopt;
  return not_returned(*asked, k);
}

void Queries::unclear(const char* why) {
  unclear_ = std::string("the queries of the history are not clear: ") + why;
}

void Queries::look_at_versions() {
  std::vector<bool> used(h_.keys(), false);
  for (std::uint32_t v = 0; v < h_.versions(); ++v) {
    is_row_.push_back(h_.is_initial(Version{v}) && h_.initial_is_row(h_.key_of(Version{v})));
    is_gone_.push_back(h_.is_initial(Version{v}) && !is_row_[v]);
  }
  for (const Txn t : h_.all_transactions()) {
    for (const Op op : h_.operations_of(t)) {
      if (!is_query(h_.kind(op))) continue;
      for (const Version v : h_.query(op).results) {
        used[index(h_.key_of(v))] = true;
        if (!h_.is_initial(v) || h_.status(t) != Status::committed) continue;
        is_row_[index(v)] = true;
        is_gone_[index(v)] = false;
      }
    }
  }
  for (const Op op : IdRange<Op>{0, h_.operations()}) {
    const OpKind kind = h_.kind(op);
    if (kind >= OpKind::list_read) continue;
    used[index(h_.key(op))] = true;
    if (kind == OpKind::write || kind == OpKind::insert) is_row_[index(h_.version(op))] = true;
    if (kind == OpKind::erase) is_gone_[index(h_.version(op))] = true;
  }
  for (std::uint32_t k = 0; k < h_.keys(); ++k) {
    if (is_list_[k] || !(used[k] || h_.initial_is_row(Key{k}))) continue;
    keys_.push_back(Key{k});
    for (const Version v : h_.versions_of(Key{k})) {
      if (is_row_[index(v)] && is_gone_[index(v)]) unclear("a version is a row and the absence of one");
    }
  }
  std::sort(keys_.begin(), keys_.end(), [&](Key a, Key b) { return key_before(h_.name(a), h_.name(b)); });
  place_.assign(h_.keys(), kNoPlace);
  loaded_before_.push_back(0);
  for (const Key k : keys_) {
    place_[index(k)] = static_cast<std::uint32_t>(loaded_before_.size() - 1);
    loaded_before_.push_back(loaded_before_.back() + (is_row_[index(h_.initial_version(k))] ? 1U : 0U));
  }
}

std::uint32_t Queries::number_of(const Atom& predicate) {
  const auto next = static_cast<std::uint32_t>(predicates_.size() + 1);
  const auto [at, is_new] = predicates_.try_emplace(to_json(predicate), next);
  if (is_new) meanings_.push_back(Predicate::parse(predicate));
  return at->second;
}

void Queries::learn(Op op) {
  const Query query = h_.query(op);
  if (!is_learned(*query.predicate) || h_.status(h_.transaction_of(op)) != Status::committed) return;
  std::vector<Version>& known = learned_[number_of(*query.predicate)];
  known.insert(known.end(), query.results.begin(), query.results.end());
}

// REQUIRES: the meaning of the predicate is known, or it is a range.
std::pair<std::uint32_t, std::uint32_t> Queries::places(const Query& query, std::uint32_t predicate) const {
  // Keys that are too small come first, then those asked for, then those that are too large.
  const auto side = [&](Key k) {
    const Atom name = h_.name(k);
    if (predicate != 0) return meanings_[predicate - std::size_t{1}]->side_of(name);
    if (in_range(name, query.low, query.high)) return 0;
    const Atom& bound = query.low ? *query.low : *query.high;
    if (!comparable(name, bound)) return key_before(name, bound) ? -1 : 1;
    return query.low && key_before(name, *query.low) ? -1 : 1;
  };
  const auto first = std::partition_point(keys_.begin(), keys_.end(), [&](Key k) { return side(k) < 0; });
  const auto last = std::partition_point(first, keys_.end(), [&](Key k) { return side(k) == 0; });
  return {static_cast<std::uint32_t>(first - keys_.begin()),
          static_cast<std::uint32_t>(last - keys_.begin())};
}

void Queries::take(Op op) {
  const Query query = h_.query(op);
  const std::uint32_t predicate = query.predicate ? number_of(*query.predicate) : 0;
  const bool is_learned_one = learned(predicate) != nullptr;
  const bool is_understood =
      predicate == 0 || is_learned_one || meanings_[predicate - std::size_t{1}].has_value();
  if (!is_understood) unclear("there is a predicate whose meaning is not known");
  const bool asks_for_others = is_understood && h_.kind(op) != OpKind::rows_read;
  Asked asked{op, 0, 0, predicate, misses_count_ && asks_for_others};
  if (asks_for_others && !is_learned_one) std::tie(asked.first, asked.last) = places(query, predicate);
  asked_.push_back(asked);
  look_at_results(asked, query);
}

void Queries::look_at_results(const Asked& asked, const Query& query) {
  std::vector<Key> returned;
  std::uint32_t loaded = 0;
  const bool asks = h_.kind(asked.query) != OpKind::rows_read;
  for (const Version v : query.results) {
    const Key k = h_.key_of(v);
    returned.push_back(k);
    if (is_list_[index(k)]) {
      unclear("one returned a list");
    } else if (asks && !is_asked_for(asked, k)) {
      unclear("one returned a row for which it did not ask");
    } else if (asked.predicate != 0 && !may_match(asked.predicate, v)) {
      unclear("one returned a row that does not match");
    }
    if (is_row_[index(h_.initial_version(k))]) ++loaded;
  }
  std::sort(returned.begin(), returned.end());
  if (std::adjacent_find(returned.begin(), returned.end()) != returned.end()) {
    unclear("one returned a key twice");
  }
  if (asked.predicate != 0 && learned(asked.predicate) == nullptr && asked.says_all &&
      loaded_before_[asked.last] - loaded_before_[asked.first] > loaded) {
    unclear("a predicate asks for a value from before the first transaction");
  }
}

Seen Queries::not_returned(const Asked& asked, Key k) const {
  const Seen next{h_.versions() + static_cast<std::uint32_t>(sets_.size())};
  const auto [known, is_new] = not_returned_.try_emplace({asked.predicate, k}, next);
  if (!is_new) return known->second;
  std::vector<Version> members;
  for (const Version v : h_.versions_of(k)) {
    if (!returns(asked, v)) members.push_back(v);
  }
  sets_.push_back(std::move(members));
  return next;
}

}  // namespace assay::verify
