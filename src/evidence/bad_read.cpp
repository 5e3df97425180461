#include "evidence/bad_read.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <vector>

#include "history/query.hpp"

namespace assay::evidence {

using check::BadRead;

namespace {

std::span<const Version> list_of(const History& h, const BadRead& bad) {
  return h.kind(bad.read) == OpKind::list_read ? h.list(bad.read).elements : std::span<const Version>{};
}

// Who appended each element that somebody did, an aborted transaction only where nobody else did.
std::map<Version, Op> appends_of(const History& h, std::span<const Version> elements) {
  std::vector<Version> wanted(elements.begin(), elements.end());
  std::sort(wanted.begin(), wanted.end());
  std::map<Version, Op> found;
  for (const Txn t : h.all_transactions()) {
    for (const Op op : h.operations_of(t)) {
      if (h.kind(op) != OpKind::append || !std::binary_search(wanted.begin(), wanted.end(), h.version(op)))
        continue;
      if (h.status(t) == Status::aborted) {
        found.emplace(h.version(op), op);
      } else {
        found[h.version(op)] = op;
      }
    }
  }
  return found;
}

// Whether a query returned two versions of a row, one of which the transaction wrote itself.
bool is_row_twice(const History& h, const BadRead& bad) {
  if (!is_query(h, bad.read) || !bad.row || bad.write == bad.read || !writes(h.kind(bad.write))) return false;
  bool own = false, other = false;
  for (const Version v : h.query(bad.read).results) {
    if (h.key_of(v) != *bad.row) continue;
    (v == h.version(bad.write) ? own : other) = true;
  }
  return own && other;
}

}  // namespace

Anomaly anomaly_of(const History& h, const BadRead& bad) {
  switch (bad.kind) {
    case BadRead::Kind::internal:
      if (is_row_twice(h, bad)) return Anomaly::duplicate_row;
      return repeated_element(h, bad) ? Anomaly::duplicate_elements : Anomaly::internal_inconsistency;
    case BadRead::Kind::aborted:
      return Anomaly::aborted_read;
    case BadRead::Kind::intermediate:
      return repeated_element(h, bad) ? Anomaly::duplicate_elements : Anomaly::intermediate_read;
    case BadRead::Kind::future:
      return Anomaly::future_read;
    case BadRead::Kind::thin_air:
      return Anomaly::thin_air_read;
    case BadRead::Kind::incompatible_order:
      return repeated_element(h, bad) ? Anomaly::duplicate_elements : Anomaly::incompatible_order;
  }
  return Anomaly::unnamed_cycle;
}

std::optional<Version> repeated_element(const History& h, const BadRead& bad) {
  const std::span<const Version> list = list_of(h, bad);
  std::vector<Version> sorted(list.begin(), list.end());
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  return twice == sorted.end() ? std::nullopt : std::optional(*twice);
}

std::optional<Version> never_appended(const History& h, const BadRead& bad) {
  const std::span<const Version> list = list_of(h, bad);
  const std::map<Version, Op> appends = appends_of(h, list);
  const auto found = std::find_if(list.begin(), list.end(), [&](Version v) { return !appends.contains(v); });
  return found == list.end() ? std::nullopt : std::optional(*found);
}

std::optional<Op> appended_to_aborted(const History& h, const BadRead& bad) {
  if (bad.kind != BadRead::Kind::aborted || bad.write == bad.read) return std::nullopt;
  const std::span<const Version> list = list_of(h, bad);
  const std::map<Version, Op> appends = appends_of(h, list);
  const auto aborted = std::find(list.begin(), list.end(), h.version(bad.write));
  for (auto at = aborted; at != list.end(); ++at) {
    const auto append = appends.find(*at);
    if (append != appends.end() && h.status(h.transaction_of(append->second)) == Status::committed)
      return append->second;
  }
  return std::nullopt;
}

}  // namespace assay::evidence
