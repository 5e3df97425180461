#include "history/query.hpp"

#include <algorithm>
#include <cassert>

#include "history/key_order.hpp"
#include "history/predicate.hpp"

namespace assay {

bool is_query(const History& history, Op op) {
  return is_query(history.kind(op));
}

bool asks_for(const History& history, Op op, Key key) {
  assert(is_query(history, op));
  if (history.kind(op) == OpKind::rows_read) return returned(history, op, key);
  const Query query = history.query(op);
  if (!query.predicate) return in_range(history.name(key), query.low, query.high);
  if (is_learned(*query.predicate)) return true;
  const auto predicate = Predicate::parse(*query.predicate);
  return predicate ? predicate->allows_key(history.name(key)) : returned(history, op, key);
}

bool returned(const History& history, Op op, Key key) {
  assert(is_query(history, op));
  const std::span<const Version> rows = history.query(op).results;
  return std::any_of(rows.begin(), rows.end(), [&](Version v) { return history.key_of(v) == key; });
}

}  // namespace assay
