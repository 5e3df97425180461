#include "watch/input_names.hpp"

#include <algorithm>
#include <cassert>
#include <map>

#include "history/builder.hpp"
#include "history/rebuild.hpp"
#include "history/sub_history.hpp"
#include "watch/forget/retired.hpp"

namespace assay::watch {

History in_input_names(const State& state, const History& history, std::span<const Txn> transactions) {
  assert(std::is_sorted(transactions.begin(), transactions.end()));
  const ListPart lists =
      implies(state.options.level, Level::prefix) ? ListPart::of_members : ListPart::if_source_is_member;
  const SubHistory part = sub_history(history, transactions, lists);
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
  // One transaction may have left several entries. They come first: nothing that is kept of their session
  // and is told beside them needs them later.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<Key>> writers;
  for (std::uint32_t k = 0; k < h.keys(); ++k) {
    if (entries[k] != nullptr) writers[{entries[k]->session, entries[k]->position}].push_back(Key{k});
  }
  for (const auto& [place, keys] : writers) {
    builder.begin(builder.session(state.sessions[place.first].name.view()),
                  entries[index(keys.front())]->txn.view());
    for (const Key k : keys) builder.write(names[index(k)].view(), entries[index(k)]->value.view());
    builder.end(Status::committed);
  }
  Rebuild rebuild(h, builder);
  for (const Txn t : h.all_transactions()) {
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
  return builder.finish();
}

}  // namespace assay::watch
