#include "evidence/shrink.hpp"

#include <array>
#include <cassert>
#include <cstdint>
#include <span>
#include <vector>

#include "check/check.hpp"
#include "check/expand.hpp"
#include "history/builder.hpp"
#include "history/rebuild.hpp"
#include "history/sub_history.hpp"

namespace assay::evidence {

namespace {

// No file can say that a read saw one of several versions: such a read becomes one of the only version that
// somebody here wrote, or is left out.
History without_sets(const History& h) {
  std::vector<bool> written(h.versions(), false);
  for (std::uint32_t k = 0; k < h.keys(); ++k) written[index(h.initial_version(Key{k}))] = true;
  for (const Op op : IdRange<Op>{0, h.operations()}) {
    if (writes(h.kind(op))) written[index(h.version(op))] = true;
  }
  HistoryBuilder build;
  build.clocks(h.clocks());
  Rebuild rebuild(h, build);
  const auto is_initial = [&](Version v) { return h.is_initial(v); };
  for (const Txn t : h.all_transactions()) {
    build.begin(build.session(h.name(h.session_of(t))), h.name(t));
    for (const Op op : h.operations_of(t)) {
      if (h.kind(op) != OpKind::read || !h.is_set(h.version(op))) {
        rebuild.operation(op, is_initial);
        continue;
      }
      std::vector<Version> seen;
      for (const Version v : h.members(h.version(op))) {
        if (written[index(v)]) seen.push_back(v);
      }
      if (seen.size() != 1) continue;
      const Atom key = h.name(h.key(op));
      h.is_initial(seen[0]) ? build.read_initial(key) : build.read(key, h.value(seen[0]));
    }
    build.end(h.status(t), h.start(t), h.end(t));
  }
  return build.finish();
}

// The transactions that violate the level, alone; queries as reads of what they say.
History part_of(const History& history, std::span<const Txn> transactions, Level level) {
  const ListPart lists = implies(level, Level::prefix) ? ListPart::of_members : ListPart::if_source_is_member;
  if (!history.has_queries()) return sub_history(history, transactions, lists).history;
  const check::Expanded expanded = implies(level, Level::prefix)
                                       ? check::expand_queries_among(history, transactions)
                                       : check::expand_queries(history, check::what_is_not_returned(level));
  return without_sets(sub_history(expanded.history, transactions, lists).history);
}

}  // namespace

std::optional<History> shrink(const History& history, const Explanation& explanation,
                              const check::Options& options) {
  assert(!explanation.counterexample.transactions.empty());
  const std::array<Level, 1> levels{explanation.level};
  History part = part_of(history, explanation.counterexample.transactions, explanation.level);
  if (history.has_queries() && check::check(part, levels, options)[0].verdict != check::Verdict::violated) {
    return std::nullopt;
  }
  return part;
}

}  // namespace assay::evidence
