#include "format/initial.hpp"

#include <fmt/format.h>

#include <vector>

#include "history/builder.hpp"
#include "history/error.hpp"
#include "history/replay.hpp"

namespace assay::format {

namespace {

// By version: whether the transaction leaves it behind, that is, writes it last on its key.
std::vector<bool> left_behind(const History& history, Txn txn) {
  std::vector<bool> left(history.versions(), false);
  std::vector<std::uint32_t> last(history.keys(),
                                  0);  // the last version per key; 0 is some key's initial one
  for (const Op op : history.operations_of(txn)) {
    if (!writes(history.kind(op))) continue;
    const Version v = history.version(op);
    std::uint32_t& before = last[index(history.key_of(v))];
    left[before] = false;
    before = index(v);
    left[before] = true;
  }
  return left;
}

}  // namespace

std::optional<std::string> why_not_initial(const History& history, Txn txn) {
  if (history.status(txn) != Status::committed) return "it did not commit";
  for (const Op op : history.operations_of(txn)) {
    if (history.kind(op) != OpKind::write && history.kind(op) != OpKind::insert) {
      return "it does something else than writing values";
    }
  }
  const std::vector<bool> left = left_behind(history, txn);
  const auto named = [&](Version v) {
    return fmt::format("{} = {}", to_string(history.name(history.key_of(v))), to_string(history.value(v)));
  };
  for (const Txn t : history.all_transactions()) {
    if (t == txn) continue;
    for (const Op op : history.operations_of(t)) {
      const OpKind kind = history.kind(op);
      if (kind == OpKind::list_read || kind == OpKind::predicate_read || kind == OpKind::range_read) {
        const auto versions =
            kind == OpKind::list_read ? history.list(op).elements : history.query(op).results;
        for (const Version v : versions) {
          if (left[index(v)]) return fmt::format("a list or query returned its {}", named(v));
        }
      } else if (writes(kind) && left[index(history.version(op))]) {
        return fmt::format("another transaction also writes {}, so a read of it may be of either",
                           named(history.version(op)));
      }
    }
  }
  return std::nullopt;
}

History fold_initial_transaction(const History& history, Txn txn) {
  if (const auto reason = why_not_initial(history, txn)) {
    throw InputError(
        history.path(), "",
        fmt::format("transaction {} of session {} cannot be the initial state: {}",
                    to_string(history.name(txn)), to_string(history.name(history.session_of(txn))), *reason));
  }
  const std::vector<bool> left = left_behind(history, txn);
  HistoryBuilder build;
  build.source(history.path(), history.format());
  build.clocks(history.clocks());
  for (const std::string& note : history.notes()) build.note(note);
  Replay replay(history, build);
  for (std::uint32_t s = 0; s < history.sessions(); ++s) {
    const auto transactions = history.transactions_of(Session{s});
    if (transactions.size() == 1 && transactions[0] == txn) continue;
    build.session(history.name(Session{s}));
    for (const Txn t : transactions) {
      if (t == txn) continue;
      replay.transaction(t, [&](Version v) { return left[index(v)] || history.is_initial(v); });
    }
  }
  return build.finish();
}

}  // namespace assay::format
