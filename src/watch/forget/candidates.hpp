// The writers of one key as forgetting sees them, whatever the level: grouped by session, and which
// of the frozen ones may still be read (docs/watch.md, "What the future can touch"). A Writer has `txn`,
// `present` (else: of unknown fate, and nobody has read from it yet) and `candidate`; writers are sorted by
// transaction, so session by session in order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "check/reads.hpp"
#include "history/history.hpp"

namespace assay::watch {

// Positions among the writers of a key: those of one session.
struct SessionGroup {
  std::uint32_t begin, end;
};

template <class Writer>
void group_by_session(const History& history, const std::vector<Writer>& writers,
                      std::vector<SessionGroup>& groups) {
  groups.clear();
  for (std::uint32_t i = 0; i < writers.size(); ++i) {
    const Session s = history.session_of(writers[i].txn);
    if (groups.empty() || history.session_of(writers[groups.back().begin].txn) != s) groups.push_back({i, i});
    groups.back().end = i + 1;
  }
}

// Marks the candidates: frozen writes that are not known to precede another frozen write of the key. Of one
// session only the last needs a look. Returns how many there are.
template <class Writer, class Frozen, class Before>
std::uint32_t mark_candidates(std::vector<Writer>& writers, const std::vector<SessionGroup>& groups,
                              const Frozen& frozen, const Before& before) {
  std::uint32_t candidates = 0;
  for (Writer& w : writers) {
    if (!frozen(w.txn)) continue;
    w.candidate = std::none_of(groups.begin(), groups.end(), [&](const SessionGroup& group) {
      for (std::uint32_t i = group.end; i-- > group.begin;) {
        const Writer& last = writers[i];
        if (!last.present || !frozen(last.txn)) continue;
        return last.txn != w.txn && before(w.txn, last.txn);
      }
      return false;
    });
    candidates += w.candidate ? 1 : 0;
  }
  return candidates;
}

// Who would write a key if somebody still to come read from them: of unknown fate, and not read yet. Sorted.
std::vector<std::pair<Key, Txn>> potential_writers(const History& history, const check::Reads& reads);

}  // namespace assay::watch
