#include "watch/input_names.hpp"

#include <algorithm>
#include <cassert>
#include <map>

#include "history/builder.hpp"
#include "history/rebuild.hpp"
#include "history/sub_history.hpp"
#include "watch/forget/retired.hpp"

namespace assay::watch {

History in_input_names(const State& state, const Assembly& assembly, std::span<const Txn> transactions) {
  assert(std::is_sorted(transactions.begin(), transactions.end()));
  const ListPart lists =
      implies(state.options.level, Level::prefix) ? ListPart::of_members : ListPart::if_source_is_member;
  const SubHistory part = sub_history(assembly.history, transactions, lists);
  const History& h = part.history;
  if (state.entries.empty()) {
    HistoryBuilder plain;
    plain.clocks(Clocks::several);
    Rebuild rebuild(h, plain);
    for (const Txn t : h.all_transactions()) rebuild.transaction(t);
    return plain.finish();
  }
  std::vector<const Entry*> entries(h.keys(), nullptr);
  std::vector<OwnedAtom> names;
  for (std::uint32_t k = 0; k < h.keys(); ++k) {
    const Atom name = h.name(Key{k});
    names.push_back(original_key(name));
    const auto found = state.entries.find(name);
    if (found != state.entries.end()) entries[k] = &found->second;
  }

  HistoryBuilder builder;
  builder.clocks(Clocks::several);
  // One transaction may have left several entries. By session and place in it, so that each comes where it was.
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::vector<Key>> writers;
  for (std::uint32_t k = 0; k < h.keys(); ++k) {
    if (entries[k] != nullptr) writers[{entries[k]->serial, entries[k]->position}].push_back(Key{k});
  }
  const auto put_writers_below = [&](std::uint64_t serial, std::uint32_t position) {
    while (!writers.empty() && writers.begin()->first < std::pair(serial, position)) {
      const std::vector<Key>& keys = writers.begin()->second;
      const Entry& entry = *entries[index(keys.front())];
      builder.begin(builder.session(entry.session.view()), entry.txn.view());
      for (const Key k : keys) builder.write(names[index(k)].view(), entries[index(k)]->value.view());
      builder.end(Status::committed);
      writers.erase(writers.begin());
    }
  };
  const std::vector<std::uint32_t> positions = positions_in_sessions(state, assembly);
  Rebuild rebuild(h, builder);
  for (const Txn t : h.all_transactions()) {
    const Txn there = part.transactions[index(t)];
    put_writers_below(state.sessions[index(assembly.history.session_of(there))].serial,
                      positions[index(there)]);
    builder.begin(builder.session(h.name(h.session_of(t))), h.name(t));
    for (const Op op : h.operations_of(t)) {
      const OpKind kind = h.kind(op);
      if (kind != OpKind::read && kind != OpKind::write && kind != OpKind::insert) {
        rebuild.operation(op, [&](Version v) { return h.is_initial(v); });
        continue;
      }
      const Version v = h.version(op);
      const std::uint32_t k = index(h.key_of(v));
      const Atom key = names[k].view();
      if (kind == OpKind::write) {
        builder.write(key, h.value(v));
      } else if (kind == OpKind::insert) {
        builder.insert(key, h.value(v));
      } else if (h.is_initial(v) && entries[k] != nullptr) {
        builder.read(key, entries[k]->value.view());
      } else if (h.is_initial(v) || h.value(v) == kBeforeEntry) {
        builder.read_initial(key);
      } else {
        builder.read(key, h.value(v));
      }
    }
    builder.end(h.status(t), h.start(t), h.end(t));
  }
  put_writers_below(UINT64_MAX, 0);
  return builder.finish();
}

}  // namespace assay::watch
