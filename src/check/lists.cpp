#include "check/lists.hpp"

#include <algorithm>

namespace assay::check {

ListReads::ListReads(const History& history)
    : h_(history),
      is_list_(h_.keys(), false),
      appends_(h_.versions()),
      longest_(h_.keys(), kNobody),
      own_(h_.keys()) {
  for (std::uint32_t i = 0; i < h_.operations(); ++i) {
    const Op op{i};
    if (h_.kind(op) == OpKind::append) is_list_[index(h_.key(op))] = true;
    if (h_.kind(op) == OpKind::list_read) is_list_[index(h_.list(op).key)] = true;
  }
  for (const Txn t : h_.all_transactions()) {
    for (const Op op : h_.operations_of(t)) {
      const OpKind kind = h_.kind(op);
      if (kind == OpKind::list_read || is_query(kind)) continue;
      const Version v = h_.version(op);
      const Key k = h_.key_of(v);
      if (!is_list_[index(k)]) continue;
      if (kind != OpKind::append) {
        // Reading nothing is reading the empty list; anything else mixes two models.
        if (kind != OpKind::read || !h_.is_initial(v)) {
          not_understood_ = "key " + to_string(h_.name(k)) + " is used both as a list and as a register";
        }
        continue;
      }
      Append& append = appends_[index(v)];
      // An aborted append of an element that somebody else really appended is of no interest.
      const bool repeated = append.txn != kNobody;
      if (repeated && h_.status(t) == Status::aborted) continue;
      if (repeated && h_.status(Txn{append.txn}) != Status::aborted) {
        not_understood_ =
            "element " + to_string(h_.value(v)) + " was appended twice to key " + to_string(h_.name(k));
      }
      append.txn = index(t);
      append.op = index(op);
      Own& own = own_[index(k)];
      if (own.txn == t) {
        append.previous = own.last;
        append.has_previous = true;
        appends_[index(own.last)].next = v;
        appends_[index(own.last)].has_next = true;
      }
      own = {t, own.txn == t ? own.count + 1 : 1, v, op};
    }
  }
  own_.assign(h_.keys(), {});
}

ListReads::Answer ListReads::operation(Op op) {
  const OpKind kind = h_.kind(op);
  const bool list_read = kind == OpKind::list_read;
  const Key k = list_read ? h_.list(op).key : h_.key(op);
  Own& own = own_[index(k)];
  if (own.txn != txn_) own = {txn_, 0, {}, {}};
  if (kind == OpKind::append) {
    ++own.count;
    own.last = h_.version(op);
    own.op = op;
    return {};
  }
  if (!list_read && !(kind == OpKind::read && h_.is_initial(h_.version(op)))) return {};  // not understood

  const std::span<const Version> list = list_read ? h_.list(op).elements : std::span<const Version>{};
  // The list must end with exactly the transaction's own appends so far.
  const Version* at = list.data() + list.size();
  Version expected = own.last;
  for (std::uint32_t i = 0; i < own.count; ++i) {
    if (at == list.data() || *--at != expected) {
      return {BadRead{BadRead::Kind::internal, txn_, op, own.op}, std::nullopt};
    }
    expected = appends_[index(expected)].previous;
  }
  const auto others = static_cast<std::size_t>(at - list.data());
  for (std::size_t i = 0; i < others; ++i) {
    if (auto bad = check_element(op, list, i, i + 1 == others)) return {bad, std::nullopt};
  }
  if (auto bad = compare_with_longest(op, k, list)) return {bad, std::nullopt};
  std::optional<Version> saw;
  if (others > 0) saw = list[others - 1];
  return {std::nullopt, saw};
}

std::optional<BadRead> ListReads::check_element(Op read, std::span<const Version> list, std::size_t i,
                                                bool last) const {
  const Append& append = appends_[index(list[i])];
  const auto bad = [&](BadRead::Kind kind, Op write) { return BadRead{kind, txn_, read, write}; };
  if (append.txn == kNobody) return bad(BadRead::Kind::thin_air, read);
  const Op write{append.op};
  // Own appends that precede this read stand at the end of the list and were taken off there.
  if (Txn{append.txn} == txn_)
    return bad(write > read ? BadRead::Kind::future : BadRead::Kind::internal, write);
  if (h_.status(Txn{append.txn}) == Status::aborted) return bad(BadRead::Kind::aborted, write);
  if (append.has_next && (last || list[i + 1] != append.next)) return bad(BadRead::Kind::intermediate, write);
  if (append.has_previous && (i == 0 || list[i - 1] != append.previous)) {
    return bad(BadRead::Kind::incompatible_order, write);
  }
  return std::nullopt;
}

std::optional<BadRead> ListReads::compare_with_longest(Op read, Key k, std::span<const Version> list) {
  const std::span<const Version> known = longest(k);
  const std::size_t shared = std::min(known.size(), list.size());
  if (!std::equal(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(shared), known.begin())) {
    return BadRead{BadRead::Kind::incompatible_order, txn_, read, Op{longest_[index(k)]}};
  }
  if (list.size() > known.size()) {
    // The same element twice in one list is no state of it either; checked once per element of the longest
    // list because the part shared with the old one was checked before.
    std::vector<Version> fresh(list.begin() + static_cast<std::ptrdiff_t>(shared), list.end());
    std::sort(fresh.begin(), fresh.end());
    const bool inside = std::adjacent_find(fresh.begin(), fresh.end()) != fresh.end();
    const bool across = std::any_of(known.begin(), known.end(), [&](Version v) {
      return std::binary_search(fresh.begin(), fresh.end(), v);
    });
    if (inside || across) return BadRead{BadRead::Kind::incompatible_order, txn_, read, read};
    longest_[index(k)] = index(read);
  }
  return std::nullopt;
}

std::optional<Txn> ListReads::reader_of_longest(Key k) const {
  const std::uint32_t op = longest_[index(k)];
  if (op == kNobody) return std::nullopt;
  return h_.transaction_of(Op{op});
}

std::span<const Version> ListReads::longest(Key k) const {
  const std::uint32_t op = longest_[index(k)];
  if (op == kNobody) return {};
  return h_.list(Op{op}).elements;
}

}  // namespace assay::check
