#include "report/query_words.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "history/key_order.hpp"
#include "history/predicate.hpp"
#include "report/printable.hpp"

namespace assay::report {

bool is_query(const History& history, Op op) {
  return history.kind(op) == OpKind::range_read || history.kind(op) == OpKind::predicate_read;
}

bool asks_for(const History& history, Op op, Key key) {
  const Query query = history.query(op);
  if (!query.predicate) return in_range(history.name(key), query.low, query.high);
  const auto predicate = Predicate::parse(*query.predicate);
  return predicate ? predicate->allows_key(history.name(key)) : returned(history, op, key);
}

bool returned(const History& history, Op op, Key key) {
  const std::span<const Version> rows = history.query(op).results;
  return std::any_of(rows.begin(), rows.end(), [&](Version v) { return history.key_of(v) == key; });
}

bool rests_on_missing_row(const History& history, const check::Step& step) {
  return step.read != check::kNoOp && is_query(history, step.read) && !returned(history, step.read, step.key);
}

std::string did_not_see(const History& history, Op op, Key key) {
  const Query query = history.query(op);
  std::string rows = "all rows";
  if (query.predicate) {
    rows += fmt::format(" where {}", printable(*query.predicate));
  } else if (query.low && query.high) {
    rows += fmt::format(" between {} and {}", printable(*query.low), printable(*query.high));
  } else if (query.low) {
    rows += fmt::format(" from {} on", printable(*query.low));
  } else if (query.high) {
    rows += fmt::format(" up to {}", printable(*query.high));
  }
  return fmt::format("asked for {} and did not see row {}", rows, printable(history.name(key)));
}

std::string_view did_to(const History& history, Txn txn, Key key) {
  std::string_view found = "wrote";
  for (const Op op : history.operations_of(txn)) {
    if (!writes(history.kind(op)) || history.key(op) != key) continue;
    found = history.kind(op) == OpKind::insert  ? "inserted"
            : history.kind(op) == OpKind::erase ? "deleted"
                                                : "wrote";
  }
  return found;
}

}  // namespace assay::report
