#include "evidence/operations.hpp"

#include <algorithm>

namespace assay::evidence {

Operations::Operations(const History& history) : h_(history), is_list_(h_.keys(), false), own_(h_.keys()) {
  not_understood_ = h_.left_out();
  if (!h_.has(OpKind::append) && !h_.has(OpKind::list_read)) return;
  const IdRange<Op> all{0, h_.operations()};
  for (const Op op : all) {
    if (h_.kind(op) == OpKind::append) is_list_[index(h_.key(op))] = true;
    if (h_.kind(op) == OpKind::list_read) is_list_[index(h_.list(op).key)] = true;
  }
  for (const Op op : all) {
    const OpKind kind = h_.kind(op);
    if (kind == OpKind::append || kind == OpKind::list_read) continue;
    if (!is_list_[index(h_.key(op))]) continue;
    // Reading nothing is reading the empty list.
    if (kind == OpKind::read && h_.is_initial(h_.version(op))) continue;
    not_understood_ = "key " + to_string(h_.name(h_.key(op))) + " is used both as a list and as a register";
  }
}

std::optional<Op> Operations::outside_reads(Txn t, std::vector<OutsideRead>& reads) {
  reads.clear();
  ++walk_;
  Op moment{};
  for (const Op op : h_.operations_of(t)) {
    const OpKind kind = h_.kind(op);
    if (!h_.same_moment(op)) moment = op;
    const bool list_read = kind == OpKind::list_read;
    const Key k = list_read ? h_.list(op).key : h_.key(op);
    Own& own = own_[index(k)];
    const bool wrote = own.walk == walk_;
    if (writes(kind)) {
      if (!wrote) own.appended.clear();
      own.walk = walk_;
      own.last = h_.version(op);
      if (kind == OpKind::append) own.appended.push_back(own.last);
      continue;
    }
    if (!is_list(k)) {
      if (!wrote) {
        reads.push_back({op, moment, k, false, h_.version(op), {}, false});
      } else if (!h_.covers(h_.version(op), own.last)) {
        return op;
      }
      continue;
    }
    const std::span<const Version> list = list_read ? h_.list(op).elements : std::span<const Version>{};
    const std::size_t mine = wrote ? own.appended.size() : 0;
    if (list.size() < mine ||
        !std::equal(list.end() - static_cast<std::ptrdiff_t>(mine), list.end(), own.appended.begin())) {
      return op;
    }
    reads.push_back({op, moment, k, true, {}, list.first(list.size() - mine), wrote});
  }
  return std::nullopt;
}

}  // namespace assay::evidence
