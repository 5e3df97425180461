#include "report/words/query_words.hpp"

#include <fmt/format.h>

#include "report/printable.hpp"

namespace assay::report {

std::string asked_for(const History& history, Op op) {
  const Query query = history.query(op);
  if (history.kind(op) == OpKind::rows_read) {
    const std::size_t rows_read = query.results.size();
    return rows_read == 1 ? "read 1 row" : fmt::format("read {} rows at once", rows_read);
  }
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
  return "asked for " + rows;
}

std::string did_not_see(const History& history, Op op, Key key) {
  return fmt::format("{} and did not see row {}", asked_for(history, op), printable(history.name(key)));
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
