#include "evidence/facts.hpp"

namespace assay::evidence {

Facts::Facts(const History& history)
    : h_(history), is_list_(h_.keys(), false), muddled_(h_.keys(), false), counts_(h_.transactions(), false) {
  find_lists();
  find_writers();
  find_who_counts();
}

bool Facts::writes_key(Txn t, Key k) const {
  for (const Op op : h_.operations_of(t)) {
    if (writes(h_.kind(op)) && h_.key(op) == k) return true;
  }
  return false;
}

std::vector<Txn> Facts::possible_writers(Version seen) const {
  std::vector<Txn> found;
  const auto add = [&](Version v) {
    if (h_.is_initial(v)) found.push_back(kInitialTxn);
    found.insert(found.end(), writers(v).begin(), writers(v).end());
  };
  if (!h_.is_set(seen)) {
    add(seen);
  } else {
    for (const Version v : h_.members(seen)) add(v);
  }
  return found;
}

std::vector<Op> Facts::own_writes(Op read) const {
  std::vector<Op> found;
  for (const Op op : h_.operations_of(h_.transaction_of(read))) {
    if (op == read) break;
    if (writes(h_.kind(op)) && h_.key(op) == key(read)) found.push_back(op);
  }
  return found;
}

void Facts::find_lists() {
  if (!h_.has(OpKind::append) && !h_.has(OpKind::list_read)) return;
  for (const Op op : IdRange<Op>{0, h_.operations()}) {
    if (h_.kind(op) == OpKind::append || h_.kind(op) == OpKind::list_read) is_list_[index(key(op))] = true;
  }
  for (const Op op : IdRange<Op>{0, h_.operations()}) {
    if (h_.kind(op) == OpKind::append || h_.kind(op) >= OpKind::list_read) continue;
    const bool reads_nothing = h_.kind(op) == OpKind::read && h_.is_initial(h_.version(op));
    if (is_list(h_.key(op)) && !reads_nothing) muddled_[index(h_.key(op))] = true;
  }
}

template <class Visit>
void Facts::for_each_final_write(Visit visit) const {
  std::vector<std::uint32_t> last(h_.keys(), h_.transactions());
  for (const Txn t : h_.all_transactions()) {
    if (h_.status(t) == Status::aborted) continue;
    const IdRange<Op> ops = h_.operations_of(t);
    for (std::uint32_t i = ops.size(); i-- > 0;) {
      if (!writes(h_.kind(ops[i]))) continue;
      std::uint32_t& seen = last[index(h_.key(ops[i]))];
      if (seen != index(t) || h_.kind(ops[i]) == OpKind::append) visit(t, index(h_.version(ops[i])));
      seen = index(t);
    }
  }
}

void Facts::find_writers() {
  begin_.assign(h_.versions() + std::size_t{1}, 0);
  for_each_final_write([&](Txn, std::uint32_t v) { ++begin_[v + 1]; });
  for (std::size_t v = 1; v < begin_.size(); ++v) begin_[v] += begin_[v - 1];
  writers_.resize(begin_.back());
  std::vector<std::uint32_t> next(begin_.begin(), begin_.end() - 1);
  for_each_final_write([&](Txn t, std::uint32_t v) { writers_[next[v]++] = t; });
  for (std::uint32_t v = 0; v < h_.versions(); ++v) {
    const Key k = h_.key_of(Version{v});
    if (is_list(k) && writers(Version{v}).size() > 1) muddled_[index(k)] = true;
  }
}

void Facts::find_who_counts() {
  std::vector<std::uint32_t> written(h_.keys(), h_.transactions());
  for (const Txn t : h_.all_transactions()) {
    if (h_.status(t) != Status::committed) continue;
    counts_[index(t)] = true;
    for (const Op op : h_.operations_of(t)) {
      if (writes(h_.kind(op))) written[index(h_.key(op))] = index(t);
      if (!is_read(op)) continue;
      if (is_list(key(op))) {
        for (const Version v : elements(op)) read_by(t, v);
      } else if (written[index(key(op))] != index(t)) {
        read_by(t, h_.version(op));
      }
    }
  }
}

void Facts::read_by(Txn reader, Version v) {
  if (is_muddled(h_.key_of(v))) return;
  Txn only = kInitialTxn;
  std::size_t others = 0;
  const auto look_at = [&](Version written) {
    if (h_.is_initial(written)) ++others;
    for (const Txn t : writers(written)) {
      if (t == reader) continue;
      only = t;
      ++others;
    }
  };
  if (!h_.is_set(v)) {
    look_at(v);
  } else {
    for (const Version member : h_.members(v)) look_at(member);
  }
  if (others == 1 && only != kInitialTxn) counts_[index(only)] = true;
}

}  // namespace assay::evidence
