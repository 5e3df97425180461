#include "check/strong/blame.hpp"

#include <algorithm>

#include "check/strong/learn.hpp"

namespace assay::check {

namespace {

using Hop = order::DynamicOrder::Hop;

bool is_session_hop(const Problem& p, const Hop& hop) {
  if (hop.added || !p.keep_sessions || !p.is_event(hop.from) || !p.is_event(hop.to)) return false;
  const Txn a = p.txn_of(hop.from), b = p.txn_of(hop.to);
  return a == b || (index(b) == index(a) + 1 && p.history.session_of(a) == p.history.session_of(b));
}

}  // namespace

void blame(const Problem& p, std::span<const Hop> cycle, std::span<const Meaning> meanings,
           std::vector<Txn>& txns) {
  txns.clear();
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    const Hop& in = cycle[i];
    const Hop& out = cycle[(i + 1) % cycle.size()];
    if (!p.is_event(in.to)) continue;
    if (!is_session_hop(p, in) || !is_session_hop(p, out)) txns.push_back(p.txn_of(in.to));
  }
  // An anti-dependency also rests on the write that was read, a choice on its reader, a version order on the
  // read that shows it.
  for (const Hop& hop : cycle) {
    if (!hop.added && p.is_event(hop.from) && p.is_event(hop.to)) {
      const auto* shown = p.reads.version_order(p.txn_of(hop.from), p.txn_of(hop.to));
      if (shown != nullptr) txns.push_back(shown->shown_by);
    }
    if (!hop.added) continue;
    if (p.is_event(hop.from)) txns.push_back(p.txn_of(hop.from));
    if (p.is_event(hop.to)) txns.push_back(p.txn_of(hop.to));
    for (const Lit l : {hop.tags.first, hop.tags.second}) {
      if (l == kNoLit) continue;
      const Meaning& v = meanings[variable(l)];
      if (v.choice) {
        txns.push_back(p.ambiguous_reads()[v.first].reader);
      } else {
        txns.push_back(Txn{v.first});
        txns.push_back(Txn{v.second});
      }
    }
  }
  std::sort(txns.begin(), txns.end());
  txns.erase(std::unique(txns.begin(), txns.end()), txns.end());
}

}  // namespace assay::check
