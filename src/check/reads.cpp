#include "check/reads.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace assay::check {

Op Reads::operation_of_read(const History& history, Txn t, std::uint32_t i) {
  std::unordered_set<std::uint32_t> written;
  for (const Op op : history.operations_of(t)) {
    const OpKind kind = history.kind(op);
    if (is_query(kind)) continue;
    const bool list = kind == OpKind::list_read;
    const Key k = list ? history.list(op).key : history.key(op);
    if (assay::writes(kind)) {
      written.insert(index(k));
    } else if (list || !written.contains(index(k))) {
      if (i-- == 0) return op;
    }
  }
  return kNoOp;
}

const Reads::VersionOrder* Reads::version_order(Txn before, Txn after) const {
  const auto at = std::lower_bound(
      version_orders_.begin(), version_orders_.end(), std::pair(before, after),
      [](const VersionOrder& a, const std::pair<Txn, Txn>& b) { return std::pair(a.before, a.after) < b; });
  return at != version_orders_.end() && at->before == before && at->after == after ? &*at : nullptr;
}

std::size_t Reads::resident_bytes() const {
  const auto bytes = [](const auto& column) { return column.capacity() * sizeof(column[0]); };
  return bytes(presence_) + key_begin_.resident_bytes() + bytes(writers_) + bytes(txn_write_begin_) +
         bytes(txn_writes_) + bytes(txn_read_begin_) + bytes(sources_) + bytes(set_begin_) +
         bytes(candidates_) + bytes(version_orders_) + bytes(bad_reads_);
}

}  // namespace assay::check
