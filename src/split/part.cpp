#include "split/part.hpp"

#include "check/check.hpp"
#include "check/derivation.hpp"
#include "history/builder.hpp"
#include "history/rebuild.hpp"
#include "history/sub_history.hpp"

namespace assay::split {

namespace {

using check::Outcome;

SubHistory build(const History& whole, std::span<const Txn> transactions) {
  SubHistory part;
  part.transactions.assign(transactions.begin(), transactions.end());
  std::size_t operations = 0;
  for (const Txn t : transactions) operations += whole.operations_of(t).size();
  HistoryBuilder builder;
  builder.expect(operations);
  builder.clocks(whole.clocks());
  Rebuild rebuild(whole, builder);
  for (const Txn t : transactions) rebuild.transaction(t);
  part.history = builder.finish();
  return part;
}

// Each transaction has all of its operations, in their order. Only what is violated speaks of keys and operations.
void name_operations(const History& whole, SubHistory& part) {
  if (!part.operations.empty()) return;
  const auto note = [&](Version here, Version there) {
    part.keys[index(part.history.key_of(here))] = whole.key_of(there);
  };
  part.keys.resize(part.history.keys());
  for (const Txn t : part.history.all_transactions()) {
    const IdRange<Op> here = part.history.operations_of(t);
    const IdRange<Op> there = whole.operations_of(part.transactions[index(t)]);
    for (std::uint32_t i = 0; i < here.size(); ++i) {
      part.operations.push_back(there[i]);
      if (const OpKind kind = whole.kind(there[i]); kind == OpKind::list_read) {
        part.keys[index(part.history.list(here[i]).key)] = whole.list(there[i]).key;
      } else if (is_query(kind)) {
        const auto rows = part.history.query(here[i]).results, known = whole.query(there[i]).results;
        for (std::size_t row = 0; row < rows.size(); ++row) note(rows[row], known[row]);
      } else {
        note(part.history.version(here[i]), whole.version(there[i]));
      }
    }
  }
}

void speak_of_the_whole(const History& whole, SubHistory& part, Outcome& outcome) {
  const auto txn = [&](Txn t) { return t == kInitialTxn ? t : part.transactions[index(t)]; };
  for (check::Event& event : outcome.order) event.txn = txn(event.txn);
  for (Txn& t : outcome.core) t = txn(t);
  if (outcome.verdict != check::Verdict::violated) return;
  name_operations(whole, part);
  for (check::BadRead& bad : outcome.bad_reads) {
    bad.txn = txn(bad.txn);
    bad.read = part.operations[index(bad.read)];
    bad.write = part.operations[index(bad.write)];
    if (bad.row) bad.row = part.keys[index(*bad.row)];
  }
  check::speak_of_the_whole(outcome.derivation, part);
}

}  // namespace

std::vector<Outcome> decide_part(const History& whole, std::span<const Txn> transactions,
                                 std::span<const Level> levels, const check::Options& options) {
  SubHistory part = build(whole, transactions);
  std::vector<Outcome> outcomes = check::check(part.history, levels, options);
  for (Outcome& outcome : outcomes) speak_of_the_whole(whole, part, outcome);
  return outcomes;
}

}  // namespace assay::split
