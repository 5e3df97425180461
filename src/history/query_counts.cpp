#include "history/query_counts.hpp"

#include "history/predicate.hpp"

namespace assay {

QueryCounts count_queries(const History& history) {
  QueryCounts found;
  if (!history.has_queries()) return found;
  for (const Txn t : history.all_transactions()) {
    if (history.status(t) != Status::committed) continue;
    for (const Op op : history.operations_of(t)) {
      const OpKind kind = history.kind(op);
      if (!is_query(kind)) continue;
      ++found.all;
      if (kind == OpKind::rows_read) {
        ++found.rows;
      } else if (kind == OpKind::predicate_read && is_learned(*history.query(op).predicate)) {
        ++found.learned;
      } else if (kind == OpKind::range_read || Predicate::parse(*history.query(op).predicate)) {
        ++found.evaluated;
      } else {
        ++found.not_understood;
      }
    }
  }
  return found;
}

}  // namespace assay
