#include "history/history.hpp"

#include <algorithm>

namespace assay {

Txn History::transaction_of(Op op) const {
  const auto after = std::upper_bound(op_begin_.begin(), op_begin_.end(), index(op));
  return Txn{static_cast<std::uint32_t>(after - op_begin_.begin() - 1)};
}

namespace {
std::span<const Version> as_versions(const std::vector<std::uint32_t>& ids, std::uint64_t begin,
                                     std::uint64_t end) {
  static_assert(sizeof(Version) == sizeof(std::uint32_t));
  return {reinterpret_cast<const Version*>(ids.data()) + begin, static_cast<std::size_t>(end - begin)};
}
}  // namespace

ListRead History::list(Op op) const {
  const ListSpan& span = lists_[payloads_[index(op)]];
  return {Key{span.key}, as_versions(elements_, span.begin, span.end)};
}

Query History::query(Op op) const {
  const QuerySpan& span = queries_[payloads_[index(op)]];
  const auto atom = [&](std::uint32_t i) -> std::optional<Atom> {
    if (i == kNone) return std::nullopt;
    return query_atoms_.get(i, texts_);
  };
  return {atom(span.predicate), atom(span.low), atom(span.high),
          as_versions(elements_, span.begin, span.end)};
}

std::size_t History::resident_bytes() const {
  const auto bytes = [](const auto& column) { return column.capacity() * sizeof(column[0]); };
  return bytes(session_begin_) + session_names_.resident_bytes() + bytes(op_begin_) + bytes(txn_sessions_) +
         bytes(statuses_) + txn_names_.resident_bytes() + bytes(starts_) + bytes(ends_) + bytes(kinds_) +
         bytes(payloads_) + key_names_.resident_bytes() + key_versions_.resident_bytes() +
         values_.resident_bytes() + bytes(lists_) + bytes(queries_) + bytes(elements_) +
         query_atoms_.resident_bytes() + texts_.resident_bytes();
}

}  // namespace assay
