#include "history/sub_history.hpp"

#include <map>
#include <string>
#include <utility>

#include "history/builder.hpp"

namespace assay {

namespace {

// Versions that a transaction outside of the part can have shown to others: its last write of each key, every
// element that it appended. Who read one of them may have read it there.
std::vector<bool> written_outside(const History& whole, const std::vector<bool>& inside) {
  std::vector<bool> outside(whole.versions(), false);
  std::vector<std::uint32_t> last_writer(whole.keys(), whole.transactions());
  for (const Txn t : whole.all_transactions()) {
    if (inside[index(t)] || whole.status(t) == Status::aborted) continue;
    const IdRange<Op> ops = whole.operations_of(t);
    for (std::uint32_t i = ops.size(); i-- > 0;) {
      if (!writes(whole.kind(ops[i]))) continue;
      std::uint32_t& last = last_writer[index(whole.key(ops[i]))];
      if (last != index(t) || whole.kind(ops[i]) == OpKind::append)
        outside[index(whole.version(ops[i]))] = true;
      last = index(t);
    }
  }
  return outside;
}

}  // namespace

SubHistory sub_history(const History& whole, std::span<const Txn> transactions) {
  SubHistory part;
  part.transactions.assign(transactions.begin(), transactions.end());
  std::vector<bool> inside(whole.transactions(), false);
  for (const Txn t : transactions) inside[index(t)] = true;
  const std::vector<bool> outside = written_outside(whole, inside);

  HistoryBuilder build;
  build.clocks(whole.clocks());
  std::map<std::pair<AtomKind, std::string>, Key> keys;
  const auto name = [&](Key k) {
    const Atom atom = whole.name(k);
    keys.try_emplace({atom.kind, to_string(atom)}, k);
    return atom;
  };
  for (const Txn t : transactions) {
    build.begin(build.session(whole.name(whole.session_of(t))), whole.name(t));
    for (const Op op : whole.operations_of(t)) {
      switch (whole.kind(op)) {
        case OpKind::read: {
          const Version v = whole.version(op);
          if (outside[index(v)]) break;
          const Atom key = name(whole.key_of(v));
          whole.is_initial(v) ? build.read_initial(key) : build.read(key, whole.value(v));
          break;
        }
        case OpKind::list_read: {
          const ListRead list = whole.list(op);
          std::vector<Atom> elements;
          for (const Version v : list.elements) {
            if (!outside[index(v)]) elements.push_back(whole.value(v));
          }
          build.list_read(name(list.key), elements);
          break;
        }
        case OpKind::predicate_read:
        case OpKind::range_read:
          break;
        case OpKind::erase: {
          const Version v = whole.version(op);
          const Atom key = name(whole.key_of(v));
          whole.is_initial(v) ? build.erase(key) : build.erase(key, whole.value(v));
          break;
        }
        case OpKind::write:
          build.write(name(whole.key(op)), whole.value(whole.version(op)));
          break;
        case OpKind::insert:
          build.insert(name(whole.key(op)), whole.value(whole.version(op)));
          break;
        case OpKind::append:
          build.append(name(whole.key(op)), whole.value(whole.version(op)));
          break;
      }
    }
    build.end(whole.status(t), whole.start(t), whole.end(t));
  }
  part.history = build.finish();
  for (std::uint32_t k = 0; k < part.history.keys(); ++k) {
    const Atom atom = part.history.name(Key{k});
    part.keys.push_back(keys.at({atom.kind, to_string(atom)}));
  }
  return part;
}

}  // namespace assay
