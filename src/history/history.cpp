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

const History::VersionSet* History::find_set(Version v) const {
  const auto at = std::lower_bound(sets_.begin(), sets_.end(), index(v),
                                   [](const VersionSet& set, std::uint32_t id) { return set.version < id; });
  return at != sets_.end() && at->version == index(v) ? &*at : nullptr;
}

std::span<const Version> History::members(Version v) const {
  const VersionSet& set = *find_set(v);
  return as_versions(elements_, set.begin, set.end);
}

bool History::is_member(Version set, Version written) const {
  if (!is_set(set)) return false;
  const std::span<const Version> all = members(set);
  return std::binary_search(all.begin(), all.end(), written);
}

std::size_t History::resident_bytes() const {
  const auto bytes = [](const auto& column) { return column.capacity() * sizeof(column[0]); };
  return bytes(session_begin_) + session_names_.resident_bytes() + bytes(op_begin_) + bytes(txn_sessions_) +
         bytes(statuses_) + txn_names_.resident_bytes() + bytes(starts_) + bytes(ends_) + bytes(kinds_) +
         bytes(payloads_) + key_names_.resident_bytes() + key_versions_.resident_bytes() +
         values_.resident_bytes() + bytes(lists_) + bytes(queries_) + bytes(elements_) + bytes(sets_) +
         same_moment_.capacity() / 8 + initial_rows_.capacity() / 8 + query_atoms_.resident_bytes() +
         texts_.resident_bytes();
}

}  // namespace assay
