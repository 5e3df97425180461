#include "watch/forget/candidates.hpp"

namespace assay::watch {

std::vector<std::pair<Key, Txn>> potential_writers(const History& history, const check::Reads& reads) {
  std::vector<std::pair<Key, Txn>> potential;
  for (const Txn t : history.all_transactions()) {
    if (history.status(t) != Status::unknown || reads.presence(t) != check::Presence::absent) continue;
    for (const Op op : history.operations_of(t)) {
      if (writes(history.kind(op))) potential.push_back({history.key(op), t});
    }
  }
  std::sort(potential.begin(), potential.end());
  potential.erase(std::unique(potential.begin(), potential.end()), potential.end());
  return potential;
}

}  // namespace assay::watch
