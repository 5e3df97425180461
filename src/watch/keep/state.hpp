// What a watcher keeps from round to round.
#pragma once

#include <bit>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "history/history.hpp"
#include "memory/keyed_hash.hpp"
#include "watch/owned_atom.hpp"
#include "watch/watch_options.hpp"

namespace assay::watch {

// How many events of each session, from its first, precede something. A transaction has one event, or two at
// the levels that tell its begin from its commit. Where a clock is short, zeros follow.
using VectorClock = std::vector<std::uint32_t>;

struct SessionState {
  // A transaction of it may still come, or waits.
  bool has_more() const { return open || behind; }

  OwnedAtom name;
  bool named = false;  // by the input's own atom, not only by a text
  bool open = true;
  bool behind = false;        // some of what it sent was not let into a round: set anew in every round
  std::uint32_t waiting = 0;  // of those not let in, the first so many were looked at before
  bool late =
      false;  // began when all sessions were said to be known, and not yet shown to be above the floor
  std::uint32_t positions = 0;  // transactions that were let into a round
  VectorClock clock;            // what precedes all that will follow them
  VectorClock visible;          // at causal: what of that does so by session order and reads-from
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
  VectorClock begin, commit;
  std::uint64_t decided = 0;  // how many transactions had been decided when this one was, itself included
};

struct VersionName {
  OwnedAtom key, value;

  auto operator<=>(const VersionName&) const = default;
};
struct VersionNameHash {
  std::size_t operator()(const VersionName& v) const {
    return words_(atoms_(v.key) ^ std::rotl(atoms_(v.value), 32));
  }

 private:
  AtomHash atoms_;
  KeyedWordHash words_;
};
struct VersionNameEqual {
  bool operator()(const VersionName& a, const VersionName& b) const {
    return AtomEqual{}(a.key, b.key) && AtomEqual{}(a.value, b.value);
  }
};

class State {
 public:
  WatchOptions options;

  std::vector<SessionState> sessions;
  std::unordered_map<std::string, std::uint32_t, KeyedTextHash> session_ids;

  // The transactions that take part in the next round too; sessions are numbered as in `sessions`.
  History held;
  std::vector<Place> places;  // per transaction of `held`

  // What has arrived and was not let into a round yet, as it came. Sessions go by name.
  std::vector<History> arrivals;
  std::uint64_t arrived_since_round = 0;
  std::uint64_t waiting = 0;

  std::unordered_map<OwnedAtom, Entry, AtomHash, AtomEqual> entries;
  VectorClock floor;  // of the last forgetting

  // Versions whose writer was part of a violation that was reported: reading them is no evidence any more.
  std::unordered_set<VersionName, VersionNameHash, VersionNameEqual> excused;

  bool timed = false;  // a transaction with a time has arrived
  // Nobody but `sessions` sends anything. Until then a session that was not heard of may still send what
  // precedes anything that is here, so nothing is frozen, and a read may be of what it wrote.
  bool sessions_known = false;
  bool has_forgotten = false;     // something was dropped
  bool reported = false;          // a violation was
  bool only_added = false;        // nothing dropped any more: something arrived for which no rule is proven
  std::uint64_t frozen = 0;       // of those in `held`
  std::uint64_t retirements = 0;  // numbers the older parts of keys
  std::uint64_t decided = 0;      // transactions that were let into a round
  std::string undecidable;        // not empty: why no verdict can be given any more
  std::string left_out;  // not empty: what could not be decided, so that "holds" cannot be said any more

  std::uint32_t session_id(std::string_view name);
  // Whether a transaction may still come, or waits.
  bool any_to_come() const;
  // Reading what it wrote is no evidence any more.
  void excuse(const History& history, Txn t);
  // Goes on without the promise of distinct values, if nothing was built on it yet.
  void values_repeat(const std::string& where);
};

}  // namespace assay::watch
