// What a watcher keeps from round to round.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "history/history.hpp"
#include "watch/owned_atom.hpp"
#include "watch/watcher.hpp"

namespace assay::watch {

// How many events of each session, from its first, precede something. A transaction has one event, or two at
// the levels that tell its begin from its commit. Where a clock is short, zeros follow.
using Clock = std::vector<std::uint32_t>;
std::uint32_t events_per_transaction(Level level);

struct SessionState {
  OwnedAtom name;
  bool named = false;  // by the input's own atom, not only by a text
  bool open = true;
  bool behind = false;          // some of what it sent waits: set anew in every round
  bool late = false;            // began after the first round, and not yet shown to begin above the floor
  std::uint32_t positions = 0;  // transactions that were let into a round
  Clock clock;                  // what precedes all that will follow them
  Clock visible;                // at causal: what of that does so by session order and reads-from
};

// The version of a key that a transaction which is gone left behind. All writers of the key that are still
// live come after it, all that are frozen before.
struct Entry {
  OwnedAtom value;
  OwnedAtom txn;
  std::uint32_t session = 0;
  std::uint32_t position = 0;
};

// A transaction that is kept, besides its operations.
struct Place {
  std::uint32_t position = 0;  // in its session, counted from the session's first transaction
  // What precedes these events; where they are one, only `commit` is used. At causal `begin` is what is
  // visible to the transaction, and `commit` what must commit before it.
  Clock begin, commit;
  std::uint64_t judged = 0;  // how many transactions had been judged when this one was, itself included
};

struct VersionName {
  OwnedAtom key, value;
};
struct VersionNameHash {
  std::size_t operator()(const VersionName& v) const { return AtomHash{}(v.key) * 31 + AtomHash{}(v.value); }
};
struct VersionNameEqual {
  bool operator()(const VersionName& a, const VersionName& b) const {
    return AtomEqual{}(a.key, b.key) && AtomEqual{}(a.value, b.value);
  }
};

class Watcher::State {
 public:
  WatchOptions options;

  std::vector<SessionState> sessions;
  std::unordered_map<std::string, std::uint32_t> session_ids;

  // The transactions that take part in the next round too; sessions are numbered as in `sessions`.
  History held;
  std::vector<Place> places;  // per transaction of `held`

  // What has arrived and was not let into a round yet, as it came. Sessions go by name.
  std::vector<History> arrivals;
  std::uint64_t arrived_since_round = 0;
  std::uint64_t waiting = 0;

  std::unordered_map<OwnedAtom, Entry, AtomHash, AtomEqual> entries;
  Clock floor;  // of the last collection that dropped something

  // Versions whose writer was part of a violation that was reported: reading them is no evidence any more.
  std::unordered_set<VersionName, VersionNameHash, VersionNameEqual> excused;

  bool timed = false;             // a transaction with a time has arrived
  bool started = false;           // a round was decided
  bool collected = false;         // something was dropped
  bool reported = false;          // a violation was
  bool only_added = false;        // nothing dropped any more: something arrived for which no rule is proven
  std::uint64_t frozen = 0;       // of those in `held`
  std::uint64_t retirements = 0;  // numbers the older parts of keys
  std::uint64_t judged = 0;       // transactions that were let into a round
  std::string undecidable;        // not empty: why no verdict can be given any more
  std::string unjudged;  // not empty: what could not be judged, so that "holds" cannot be said any more

  std::uint32_t session_id(std::string_view name);
  bool any_open() const;
  // Goes on without the promise of distinct values, if nothing was built on it yet.
  void values_repeat(const std::string& where);
};

}  // namespace assay::watch
